"""Encoders: their shapes, tokenizers, pretrained weights, and the vectors they give."""
