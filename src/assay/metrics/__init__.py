"""Registry of metrics: one module per family, one line per metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.core.error_attribution import attribute_errors, is_third_party, location
from assay.core.errors import InputError, MissingPart
from assay.core.metric import Card, Metric, Signature
from assay.core.registry import FURTHER, Registry, load
from assay.core.spec import build, create, name_of, parse

if TYPE_CHECKING:
    from collections.abc import Sequence


METRICS = Registry(
    "metric",
    {
        "bleu": "assay.metrics.bleu:Bleu",
        "spbleu": "assay.metrics.bleu:SpBleu",
        "chrf": "assay.metrics.chrf:Chrf",
        "chrf++": "assay.metrics.chrf:ChrfPlusPlus",
        "ter": "assay.metrics.ter:Ter",
        "cer": "assay.metrics.edit:Cer",
        "wer": "assay.metrics.edit:Wer",
        "rouge1": "assay.metrics.rouge:Rouge1",
        "rouge2": "assay.metrics.rouge:Rouge2",
        "rougeL": "assay.metrics.rouge:RougeL",
        "meteor": "assay.metrics.meteor:Meteor",
        "lint": "assay.metrics.lint:Lint",
        "assay-mini": "assay.metrics.mini.scores:AssayMini",
        "assay-mini.unit": "assay.metrics.mini.scores:AssayMiniUnit",
        "assay-mini.mqm": "assay.metrics.mini.scores:AssayMiniMqm",
        "bertscore-mini": "assay.metrics.mini.matching:BertscoreMini",
        "e5-qe": "assay.metrics.mini.matching:E5Qe",
        "bertscore": "assay.metrics.embedding.bertscore:Bertscore",
        "yisi1": "assay.metrics.embedding.yisi:Yisi1",
        "yisi2": "assay.metrics.embedding.yisi:Yisi2",
        "labse-sim": "assay.metrics.embedding.sentence:LabseSim",
        "hwtsc-teacher-sim": "assay.metrics.embedding.sentence:TeacherSim",
        "mee": "assay.metrics.embedding.mee:Mee",
        "mee2": "assay.metrics.embedding.mee:Mee2",
        "mee4": "assay.metrics.embedding.mee:Mee4",
        FURTHER: "assay.metrics.published:targets",
        "bartscore": "assay.metrics.bartscore:BartScore",
        "prism": "assay.metrics.prism:Prism",
        "prism-qe": "assay.metrics.prism:PrismQe",
        "hwtsc-tlm": "assay.metrics.language_model:HwtscTlm",
        "random": "assay.metrics.baselines:RandomScore",
        "length": "assay.metrics.baselines:LengthBaseline",
        "copy-source": "assay.metrics.baselines:CopySourceBaseline",
        "judge-da": "assay.metrics.judges.shipped:JudgeDa",
        "judge-mqm": "assay.metrics.judges.shipped:JudgeMqm",
        "gemba-da": "assay.metrics.judges.gemba:GembaDa",
        "gemba-sqm": "assay.metrics.judges.gemba:GembaSqm",
        "gemba-stars": "assay.metrics.judges.gemba:GembaStars",
        "gemba-classes": "assay.metrics.judges.gemba:GembaClasses",
        "gemba-mqm": "assay.metrics.judges.gemba:GembaMqm",
        "gemba-esa": "assay.metrics.judges.gemba:GembaEsa",
        "automqm": "assay.metrics.judges.shipped:AutoMqm",
        "judge": "assay.metrics.judges.shipped:Judge",
    },
    mark="@assay.metric",
    alias="assay.models.files.published:published_name",
    excluded={
        "reuse": "its chunker was not published, and without it the metric ranks segments as labse-sim does (docs/neural.md).",
        "kg-bertscore": "its entity recogniser and its graph are not specified (docs/neural.md); "
        "the rest of it is bertscore.",
    },
)


def is_path(name: str) -> bool:
    """Return whether a spec's name is a path rather than a registered name."""
    import os

    if METRICS.registered(name):
        return False
    return (
        name.startswith((".", "/", "~"))
        or name.endswith(".ckpt")
        or any(os.path.isfile(os.path.join(name, mark)) for mark, _ in _FOLDERS)
    )


_COMET = "assay.metrics.comet:CometFolder"
_FOLDERS = (
    ("bleurt_config.json", "assay.metrics.bleurt:bleurt"),
    ("hparams.yaml", _COMET),
    ("checkpoints/marian.model.bin", _COMET),
)
"""Files that identify the checkpoint folders of some metrics. Any other folder is treated as a COMET checkpoint."""


def _factory(path: str) -> str:
    import os

    folder = os.path.expanduser(path)
    return next((factory for mark, factory in _FOLDERS if os.path.isfile(os.path.join(folder, mark))), _COMET)


def metric(spec: str) -> Metric:
    """Return the metric that a spec names.

    Args:
        spec: ``bleu:tokenize=zh``, ``my_module:MyMetric``, or the path of a checkpoint folder.

    Raises:
        InputError: The name or an option is unknown.
        MissingPart: An extra or a checkpoint is missing; the message says how to get it.
    """
    name, options = parse(spec)
    result: Metric
    if is_path(name):
        factory = load(_factory(name), "a checkpoint")
        result = build(factory, "checkpoint", {"path": name, **options}, f"{METRICS.look} {name}")
    elif name.startswith("judge:"):  # judge:FILE is short for judge:prompt=FILE
        result = build(METRICS.resolve("judge"), "judge", {"prompt": name[6:], **options}, f"{METRICS.look} judge")
    else:
        result = create(METRICS, spec, Metric)
    return signed(result)


def signed(made: Metric) -> Metric:
    """Return the metric. Raise an error if a third-party metric has no card or no signature."""
    if not is_third_party(made):
        return made
    if not isinstance(getattr(made, "card", None), Card):
        raise InputError(
            f"the metric {type(made).__qualname__} ({location(made)}) has no card. Add card = Card(...) to the class."
        )
    with attribute_errors(made, f"the signature of the metric {made.card.name}"):
        signature: object = made.signature
    if not isinstance(signature, Signature):
        what = f"{type(signature).__name__}, not an assay.Signature"
        raise InputError(f"the signature of the metric {made.card.name} ({location(made)}) is {what}.")
    return made


def build_metrics(wanted: Sequence[Any] | str | Metric) -> dict[str, Metric]:
    """Return metric objects for the requested names; a Metric object is listed under the name on its card.

    If several metrics lack something, a single error reports all of it.
    """
    if isinstance(wanted, (str, Metric)):
        wanted = [wanted]
    if not wanted:
        raise InputError("no metric is specified. Use -m chrf, or metrics=['chrf'] in Python.")
    built: dict[str, Metric] = {}
    missing: dict[str, MissingPart] = {}
    for one in wanted:
        if not isinstance(one, (str, Metric)):
            hint = ": decorate the function with @assay.metric" if callable(one) else ""
            raise InputError(f"metrics must be names or Metric objects, not {one!r:.60}{hint}.")
        try:
            built_metric = metric(one) if isinstance(one, str) else signed(one)
        except MissingPart as error:
            missing[str(one)] = error
            continue
        built[one if isinstance(one, str) else built_metric.card.name] = built_metric
    if missing:
        raise _not_ready(missing)
    return built


def _not_ready(missing: dict[str, MissingPart]) -> MissingPart:
    """Return an error that states what each metric lacks, in one sentence per metric."""
    messages = {spec: str(error) for spec, error in missing.items()}
    (first, error), *others = missing.items()
    if not others and name_of(first) in messages[first]:
        return error
    named = [text if text.startswith(name_of(spec)) else f"{name_of(spec)}: {text}" for spec, text in messages.items()]
    return MissingPart(" ".join(dict.fromkeys(named)))
