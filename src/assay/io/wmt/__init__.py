"""The files of the WMT metrics tasks, as mt-metrics-eval lays them out."""
