"""Files in general: text, compression, atomic writing, downloads, cache folders, object stores and tensor files."""
