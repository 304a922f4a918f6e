"""A corpus in many files, scored by workers: shards in, shards of the same names out, and one manifest.

`plan` finds the shards and cuts the large ones into pieces, `piece.work` does one task in a process of its own, an engine
(`engines`) has tasks done somewhere, and `driver` hands them out, gathers their records and writes the manifest.
"""
