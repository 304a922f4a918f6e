"""Language models behind an OpenAI-compatible endpoint: asked patiently, within a budget, and without telling the key."""
