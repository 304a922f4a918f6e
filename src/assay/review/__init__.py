"""Reviews by people: decisions stored on disk and reused."""
