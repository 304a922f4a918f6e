"""Weights of assay-mini. They are data: mt-assay finds and checks them without importing this package."""

__version__ = "0.1.0"
