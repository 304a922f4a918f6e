"""What people (or programs) said about translations: scores, error spans, outcomes, decisions."""
