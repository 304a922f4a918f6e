"""assay-mini training: a small learned metric with error spans that runs without torch (docs/train_mini.md)."""
