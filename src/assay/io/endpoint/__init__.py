"""Client for language models behind an OpenAI-compatible endpoint, with retries, a budget and protection of the API key."""
