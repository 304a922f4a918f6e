"""Data of other projects: WordNet, SentencePiece models, assay-mini's weights, hashes of benchmark texts."""
