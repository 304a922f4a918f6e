"""Command-line interface: one module per verb, and what verbs share."""
