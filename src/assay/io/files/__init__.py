"""Files as such: text, compression, safe writing, downloads, where caches lie."""
