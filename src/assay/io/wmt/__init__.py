"""Files of the WMT metrics tasks in the layout of mt-metrics-eval."""
