"""``_manifest.json``: what was asked, every shard with its checksum, and the corpus scores of them all.

It says nothing of time, workers or engines: the same corpus gives the same manifest wherever it was scored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.core.flags import total_flags
from assay.corpus.job import MANIFEST, Job, Shard, ShardRecord
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
    return told


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


__all__ = ["ALL", "Gathered", "read_manifest"]
