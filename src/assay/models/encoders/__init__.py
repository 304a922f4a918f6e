"""Encoders: shapes, tokenizers, pretrained weights, and embeddings of tokens and texts."""
