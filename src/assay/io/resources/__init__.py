"""Third-party and bundled data: WordNet, SentencePiece models, assay-mini's weights, hashes of benchmark texts."""
