"""Reference implementations of the native kernels in short Python, one file per family.

Tests compare each kernel with its reference implementation. Nothing else imports these modules.
"""
