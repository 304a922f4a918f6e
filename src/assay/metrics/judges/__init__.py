"""Language models as metrics: with our prompts, with GEMBA's, and with prompts of the user's own."""
