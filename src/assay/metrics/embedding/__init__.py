"""Metrics of pretrained encoders, without anything learned on top: token matching, sentence vectors, word vectors.

`base` finds and loads an encoder, `rarity` counts document frequencies, `bertscore`, `yisi`, `sentence` and `mee` are the metrics.
"""
