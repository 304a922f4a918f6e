"""Execution of models: packed batches, token budgets, precision and GPU memory."""
