"""assay: the workbench for people who judge machine translation."""

__version__ = "0.1.0"
