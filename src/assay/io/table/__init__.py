"""One streaming reader for tables of texts in every supported format."""
