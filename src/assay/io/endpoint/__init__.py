"""Client for language models behind an OpenAI-compatible endpoint, with retries, a budget and API key protection."""
