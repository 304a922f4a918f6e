"""Human reviews, with decisions stored on disk and reused."""
