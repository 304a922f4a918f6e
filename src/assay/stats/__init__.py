"""Statistics: arrays in, numbers out; no idea what a metric is. One file a family."""
