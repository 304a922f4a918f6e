"""Encoder-decoders (mT5, BART and its relatives, fairseq's transformer, GPT-2) that score texts and generate nothing.

`encoder_decoder` holds the layers and `attention` the attention of packed batches. `likelihood` computes the scores. `folder` and
`fairseq_file` read weights without running their code.
"""
