"""General file handling: text, compression, atomic writing, downloads, cache folders, object stores and tensor files."""
