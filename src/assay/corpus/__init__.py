"""Processing of corpora in many files: workers turn input shards into output shards of the same names, with one manifest.

`discovery` finds the shards and `splitting` divides large ones into parts. `execution.work` executes one task in a separate
process. An engine (`engines`) runs tasks on workers. `driver` submits the tasks, collects their records and writes the
manifest.
"""
