"""Meta-evaluation: how far metrics agree with people."""
