"""People's own judgements: systems ranked with significance, raters compared, metrics correlated with them."""
