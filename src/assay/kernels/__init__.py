"""Native loops (C++ through nanobind). Strings and arrays in, arrays out, the GIL released inside.

`_native.pyi` types them; `twins` holds the short, readable Python version of each, which is its specification.
"""
