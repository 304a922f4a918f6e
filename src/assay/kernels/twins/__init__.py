"""The specification of every kernel: short Python that says what the native loop must compute, one file a family.

Tests search for a disagreement between each twin and its kernel; nothing else imports these modules.
"""
