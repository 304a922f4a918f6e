"""Error spans evaluated: against gold spans, between raters, beside the sentence score, on localized errors."""
