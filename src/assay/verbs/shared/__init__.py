"""What several verbs share: their requests, the inputs they name, and results of the same kind."""
