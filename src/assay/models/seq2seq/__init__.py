"""Encoder-decoders (mT5, BART and its relatives, fairseq's transformer, GPT-2) that score texts and generate nothing.

`network` holds the layers, `attending` the attention of packed batches, `likelihood` the scores, `folder` and `fairseq_file` the
reading of weights without running their code.
"""
