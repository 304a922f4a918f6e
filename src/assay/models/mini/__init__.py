"""assay-mini: a small learned metric with error spans, trained here and run without torch elsewhere (docs/train_mini.md)."""
