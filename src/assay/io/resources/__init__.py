"""Data that others ship: WordNet, SentencePiece models, hashes of benchmark texts."""
