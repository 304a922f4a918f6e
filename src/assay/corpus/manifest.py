"""``_manifest.json``: what was asked, every shard with its checksum, and the corpus scores of them all.

It says nothing of time, workers or engines: the same corpus gives the same manifest wherever it was scored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.core.flags import total_flags
from assay.corpus.job import MANIFEST, Job, Shard, ShardRecord, digest
from assay.corpus.tally import ALL, KEPT, CorpusTally, corpus_scores, together, width

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.io.files.folders import Folder

FORM = 1
"""The version of the file."""


@dataclass
class Gathered:
    """Everything that is known when a run is through."""

    job: Job
    metrics: Mapping[str, Metric]
    shards: dict[str, tuple[Shard, ShardRecord]] = field(default_factory=dict)
    """By name, in the order of the shards."""
    failed: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The manifest."""
        job = self.job
        tally = together(CorpusTally.of(record.tally) for _, record in self.shards.values())
        scores, computed = corpus_scores(tally, self.metrics)
        kept = corpus_scores(tally, self.metrics, KEPT)[0] if job.keep else None
        asked = {
            "columns": dict(job.choice), "quoting": job.quoting, "langpair": job.langpair, "flags": job.flags, "spans": job.spans,
            "keep": job.keep or None, "dedup": job.dedup, "sample": job.sample, "sample_by": job.sample_by, "seed": job.seed,
            "batch": job.batch,
            **({"empty_reference": job.empty_reference} if job.empty_reference else {}),
            **({"purpose": job.purpose, "settings": dict(job.settings)} if job.purpose != "score" else {}),
        }  # fmt: skip
        return {
            "form": FORM,
            "assay": job.version,
            "key": job.run_key(),
            "asked": asked,
            "signatures": {name: metric.signed(tally.nrefs) for name, metric in computed.items()},
            "counts": {
                "shards": len(self.shards), "failed": len(self.failed), "rows": tally.rows, "duplicates": tally.duplicates,
                "rejected": tally.rejected, "kept": tally.kept,
            },
            "scores": scores,
            "kept_scores": kept,
            "flags": total_flags({"": tally.flags}),
            "histograms": {
                name: {
                    "width": width(metric),
                    "unscored": tally.unscored.get(name, 0),
                    "bins": {str(number): n for number, n in sorted(tally.bins.get(name, {}).items())},
                }
                for name, metric in self.metrics.items()
                if job.purpose != "pairs"
            },
            **tally.more,
            "failed": self.failed,
            "shards": {
                name: {"input": [file.path for file in shard.files], **_plain(record)}
                for name, (shard, record) in self.shards.items()
            },
        }  # fmt: skip

    def write(self, folder: Folder) -> dict[str, Any]:
        """Write it, a line a shard; what was written."""
        told = self.to_json()
        shards = told.pop("shards")
        lines = [f"  {json.dumps(name, ensure_ascii=False)}: {_line(entry)}" for name, entry in shards.items()]
        head = json.dumps(told, ensure_ascii=False, indent=1, allow_nan=True).removesuffix("\n}")
        text = head + ',\n "shards": {\n' + ",\n".join(lines) + "\n }\n}\n"
        folder.write(MANIFEST, text.encode("utf-8", "backslashreplace"))
        return {**told, "shards": shards}


def _plain(record: ShardRecord) -> dict[str, Any]:
    told = record.to_json()
    told["rejected"] = [{**row, "row": {}} for row in told["rejected"]]  # the rows themselves are in _rejected.jsonl
    return {**told, "check": digest(told)}


def _line(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False)


def read_manifest(folder: Folder) -> dict[str, Any] | None:
    """The manifest of an earlier run; None where there is none."""
    told = folder.read(MANIFEST)
    if told is None:
        return None
    try:
        found = json.loads(told)
        if found["form"] != FORM or not isinstance(found["shards"], dict):
            raise ValueError(f"form {found['form']}")
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder.path}/{MANIFEST} is no manifest that this assay reads: give another --out, or remove it."
        ) from error
    return dict(found)


def check_manifest(told: Mapping[str, Any], metrics: Mapping[str, Metric], where: str) -> None:
    """Refuse a manifest whose sums were changed: the record of a shard that no longer has its hash, or counts and corpus scores
    that do not follow from the records."""
    try:
        changed = _changed(told, metrics)
    except (TypeError, KeyError, ValueError, AttributeError, IndexError) as error:
        changed = f"it cannot be read ({type(error).__name__})"
    if changed:
        raise InputError(
            f"{where}/{MANIFEST} was changed after it was written: {changed}. Give another --out, or remove the files of this one."
        )


def _changed(told: Mapping[str, Any], metrics: Mapping[str, Metric]) -> str:
    """What does not fit in a manifest, in words; empty if all does."""
    for name, entry in told["shards"].items():
        record = {key: value for key, value in entry.items() if key not in ("input", "check")}
        if "check" in entry and digest(record) != entry["check"]:
            return f"the record of {name} does not have the hash that is beside it"
    tally = together(CorpusTally.of(entry["tally"]) for entry in told["shards"].values())
    for name in ("rows", "duplicates", "rejected", "kept"):
        if told["counts"][name] != getattr(tally, name):
            return f"its {name} are {told['counts'][name]:,}, and those of the shards are {getattr(tally, name):,}"
    for system, row in corpus_scores(tally, metrics)[0].items():
        for metric, score in row.items():
            written = told["scores"][system][metric]
            if not (
                math.isclose(written, score, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(written) and math.isnan(score))
            ):
                return f"the score of {system} by {metric} is {written:g}, and that of the shards is {score:g}"
    return ""


__all__ = ["ALL", "Gathered", "check_manifest", "read_manifest"]
