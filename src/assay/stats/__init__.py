"""Statistical functions over arrays: resampling, tests, correlations, agreement and calibration."""
