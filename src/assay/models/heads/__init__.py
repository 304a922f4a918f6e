"""Models that score translations with an encoder: COMET's classes, BLEURT and MaTESe."""
