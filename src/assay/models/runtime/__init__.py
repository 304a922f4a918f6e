"""How models run: packed batches, token budgets, precision and GPU memory."""
