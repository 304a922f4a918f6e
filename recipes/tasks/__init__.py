"""Sources of the examples of the downstream tasks."""
