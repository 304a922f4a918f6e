"""Neural models in torch, which do not depend on assay's compiled kernels. These modules are imported only when a model is needed.

============= ===================================================================================================== `files`
locate, download and hash checkpoints; torch is needed only to read weights `runtime` run models: packing, token budgets,
out-of-memory errors, precision, 8-bit products, GPU memory `encoders` encoders and their tokenizers; vectors of tokens and
texts, and token matching `heads` models on an encoder that score translations: COMET, BLEURT, MaTESe `seq2seq`
encoder-decoders and language models: MetricX, BARTScore, Prism `training` training of xCOMET models: data, configuration,
training loop, checkpoints, search for loss weights `mini` recipe of assay-mini, from judged translations to the packed
model ============= =====================================================================================================

Build a model::

    from assay.models.encoders.config import EncoderConfig, ModelConfig
    from assay.models.heads.comet import build_model

    encoder = EncoderConfig("xlm-roberta", hidden=32, layers=2, heads=4, feed_forward=64, vocabulary=1000, positions=514)
    model = build_model(ModelConfig("xcomet_metric", hidden_sizes=(64, 32), word_layer=2), encoder)

Call it on a packed batch (all sequences end to end, no padding)::

    from assay.models.runtime.packing import pack

    packed = pack([[0, 11, 12, 2], [0, 13, 2]], pad=1)           # token ids of each sequence, special tokens included
    output = model(packed)                                       # unified models: output.scores, output.logits
    embedding = model.embed(packed)                              # regression models: one vector per sequence

`assay.models.heads.checkpoint` reads and writes the official format (``hparams.yaml`` and a Lightning ``.ckpt``).
`assay.models.heads.inference` computes scores and spans of texts.
"""
