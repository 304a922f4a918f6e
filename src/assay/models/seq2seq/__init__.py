"""Encoder-decoders (mT5, BART and its relatives, fairseq's transformer) and language models (GPT-2) that score texts; nothing
is generated.

`encoder_decoder` holds the layers and `attention` the attention of packed batches. `likelihood` computes the scores. `folder`
and `fairseq_file` read weights without running any code from the files.
"""
