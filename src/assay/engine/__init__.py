"""The engine: deduplicate, look up, batch, score, store, resume."""
