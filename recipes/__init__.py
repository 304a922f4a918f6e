"""Sources of the data in the package."""
