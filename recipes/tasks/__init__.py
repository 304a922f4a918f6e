"""How the examples of the downstream tasks were made."""
