"""Neural models: encoders, heads, checkpoints and packed inference, with torch and without our compiled kernels.

How a model is built::

    from assay.models.config import EncoderConfig, ModelConfig
    from assay.models.build import build_model

    encoder = EncoderConfig("xlm-roberta", hidden=32, layers=2, heads=4, feed_forward=64, vocabulary=1000, positions=514)
    model = build_model(ModelConfig("xcomet_metric", hidden_sizes=(64, 32), word_layer=2), encoder)

and how it is called, on a packed batch (all sequences end to end, no padding)::

    from assay.models.packing import pack

    packed = pack([[0, 11, 12, 2], [0, 13, 2]], pad=1)           # token ids of each sequence, special tokens included
    output = model(packed)                                       # unified models: output.scores, output.logits
    embedding = model.embed(packed)                              # regression models: one vector a sequence

`assay.models.checkpoint` reads and writes the official format (``hparams.yaml`` and a Lightning ``.ckpt``);
`assay.models.inference` turns texts into scores and spans. Nothing here is imported before somebody asks for it.
"""
