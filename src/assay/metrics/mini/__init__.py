"""assay-mini: a small learned metric with error spans that runs on a CPU without torch, and the metrics of its encoder.

`model` runs the kernel and remembers, `windows` cuts what is longer than it reads, `scores` and `matching` are the metrics.
"""
