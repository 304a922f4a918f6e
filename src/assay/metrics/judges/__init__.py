"""LLM judges: language models as metrics, with assay's prompts, GEMBA's prompts, or the user's own."""
