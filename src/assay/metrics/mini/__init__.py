"""assay-mini: a small learned metric with error spans that runs on a CPU without torch, and metrics that use its encoder.

`model` runs the kernel, caches its outputs, and splits long texts into windows. `scores` and `matching` are the metrics.
"""
