"""Encoder-decoders (mT5, BART and its kin, fairseq's transformer) as scorers: one regression logit, or the likelihood of a text.

Nothing is ever generated. `network` holds the layers, `attending` who attends to whom in a batch, `regression` the one step of
MetricX, `likelihood` the probability of given targets, `folder` and `fairseq_file` how weights are read without running code.
"""
