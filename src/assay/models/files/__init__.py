"""Where checkpoints are, how they are downloaded and read."""
