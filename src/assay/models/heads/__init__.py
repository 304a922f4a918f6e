"""Models on an encoder that score translations: COMET's classes, BLEURT and MaTESe, from texts to scores."""
