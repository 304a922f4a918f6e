"""How the data inside the package were made."""
