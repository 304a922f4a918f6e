"""Published numbers, and whether they follow from the data."""
