"""Native loops in C++ (bound with nanobind): strings and arrays in, arrays out, with the GIL released.

`_native.pyi` has their types. `reference` has a short Python implementation of each, which is its specification.
"""
