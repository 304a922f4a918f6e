"""Metrics that use pretrained encoders without further training: token matching, sentence vectors, word vectors.

`base` finds and loads an encoder and computes document frequencies. `bertscore`, `yisi`, `sentence` and `mee` are the
metrics.
"""
