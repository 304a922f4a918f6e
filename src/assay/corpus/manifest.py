"""Manifest of a scored corpus (``_manifest.json``): settings, a record with a checksum per shard, and corpus scores.

It does not record times, workers or engines, so the same corpus gives the same manifest on every machine.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError
from assay.core.flags import total_flags
from assay.corpus.job import MANIFEST, Job, Shard, ShardRecord, digest
from assay.corpus.tally import KEPT, CorpusTally, corpus_scores, merge_all, width

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.io.files.folders import Folder

FORM = 1
"""The version of the file."""


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """Numbers of shards and rows in a corpus run."""

    shards: int
    failed: int
    rows: int
    """Rows that were read."""
    duplicates: int
    rejected: int
    kept: int
    """Rows that were written."""


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """One shard in a manifest: its input files and its result record."""

    input: list[str]
    record: ShardRecord
    check: str | None = None
    """Digest of the record."""

    @classmethod
    def of(cls, shard: Shard, record: ShardRecord) -> ShardEntry:
        """Return the entry of a finished shard, without its rejected rows (they are in ``_rejected.jsonl``)."""
        plain = record.without_rows()
        return cls([file.path for file in shard.files], plain, digest(plain.to_json()))

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> ShardEntry:
        """Read an entry from plain values."""
        record = {name: value for name, value in entry.items() if name not in ("input", "check")}
        return cls(entry["input"], ShardRecord.of(record), entry.get("check"))

    def to_json(self) -> dict[str, Any]:
        """Return the entry as plain values."""
        return {"input": self.input, **self.record.to_json(), **({} if self.check is None else {"check": self.check})}

    def changed(self) -> bool:
        """Whether the record differs from its digest."""
        return self.check is not None and digest(self.record.to_json()) != self.check


@dataclass(frozen=True, slots=True)
class CorpusManifest:
    """Content of ``_manifest.json``. The fields have the same names and order as the keys in the file."""

    form: int
    assay: str
    """The version that wrote it."""
    key: str
    """`Job.run_key`."""
    asked: dict[str, Any]
    signatures: dict[str, str]
    counts: CorpusCounts
    scores: dict[str, dict[str, float]]
    """Corpus scores of all scored rows, by system and metric."""
    kept_scores: dict[str, dict[str, float]] | None
    """Corpus scores of the rows that `keep` selected, if it was given."""
    flags: dict[str, int]
    histograms: dict[str, Any]
    more: dict[str, Any]
    """Counts of labels, perturbations or pairs, by the purpose of the run; top-level keys in the file."""
    failed: dict[str, str]
    """Shards that were left out, with the reason."""
    shards: dict[str, ShardEntry] = field(default_factory=dict)
    """By name, in the order of the shards."""

    @classmethod
    def of(
        cls,
        job: Job,
        metrics: Mapping[str, Metric],
        shards: Mapping[str, tuple[Shard, ShardRecord]],
        failed: dict[str, str],
    ) -> CorpusManifest:
        """Build the manifest of a finished run from its shard records."""
        tally = merge_all(CorpusTally.of(record.tally) for _, record in shards.values())
        scores, computed = corpus_scores(tally, metrics)
        histograms = {
            name: {
                "width": width(metric),
                "unscored": tally.unscored.get(name, 0),
                "bins": {str(number): n for number, n in sorted(tally.bins.get(name, {}).items())},
            }
            for name, metric in metrics.items()
            if job.purpose != "pairs"
        }
        return cls(
            FORM,
            job.version,
            job.run_key(),
            job.asked(),
            {name: metric.signed(tally.nrefs) for name, metric in computed.items()},
            CorpusCounts(len(shards), len(failed), tally.rows, tally.duplicates, tally.rejected, tally.kept),
            scores,
            corpus_scores(tally, metrics, KEPT)[0] if job.keep else None,
            total_flags({"": tally.flags}),
            histograms,
            tally.more,
            failed,
            {name: ShardEntry.of(shard, record) for name, (shard, record) in shards.items()},
        )

    @classmethod
    def read(cls, folder: Folder) -> CorpusManifest | None:
        """Read the manifest of an earlier run; None if it does not exist."""
        written = folder.read(MANIFEST)
        if written is None:
            return None
        try:
            values = json.loads(written)
            if values["form"] != FORM:
                raise ValueError(f"form {values['form']}")
            keys = {each.name for each in fields(cls)} - {"more"}
            return cls(
                **{name: values[name] for name in keys - {"counts", "shards"}},
                counts=CorpusCounts(**values["counts"]),
                more={name: value for name, value in values.items() if name not in keys},
                shards={name: ShardEntry.from_json(entry) for name, entry in values["shards"].items()},
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{folder.path}/{MANIFEST} cannot be read by this version of assay ({type(error).__name__}). Choose a "
                "different --out, or remove the file."
            ) from error

    def head(self) -> dict[str, Any]:
        """Return everything except the shard records, as plain values."""
        values: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "more":
                values |= value
            elif each.name != "shards":
                values[each.name] = asdict(value) if isinstance(value, CorpusCounts) else value
        return values

    def write(self, folder: Folder) -> None:
        """Write the file, one line per shard."""
        lines = [f"  {_line(name)}: {_line(entry.to_json())}" for name, entry in self.shards.items()]
        head = json.dumps(self.head(), ensure_ascii=False, indent=1, allow_nan=True).removesuffix("\n}")
        text = head + ',\n "shards": {\n' + ",\n".join(lines) + "\n }\n}\n"
        folder.write(MANIFEST, text.encode("utf-8", "backslashreplace"))

    def check(self, metrics: Mapping[str, Metric], where: str) -> None:
        """Reject a manifest that was changed after it was written: a record that does not match its digest, or wrong totals."""
        try:
            changed = self._changed(metrics)
        except (TypeError, KeyError, ValueError, AttributeError, IndexError) as error:
            changed = f"it cannot be read ({type(error).__name__})"
        if changed:
            raise InputError(
                f"{where}/{MANIFEST} was changed after it was written: {changed}. Choose a different --out, or remove the "
                "files of this "
                "one."
            )

    def _changed(self, metrics: Mapping[str, Metric]) -> str:
        """Describe the first contradiction; an empty string if nothing is wrong."""
        for name, entry in self.shards.items():
            if entry.changed():
                return f"the record of {name} does not match its hash"
        tally = merge_all(CorpusTally.of(entry.record.tally) for entry in self.shards.values())
        for name in ("rows", "duplicates", "rejected", "kept"):
            if getattr(self.counts, name) != getattr(tally, name):
                return f"its {name} are {getattr(self.counts, name):,}, but those of the shards add up to {getattr(tally, name):,}"
        for system, row in corpus_scores(tally, metrics)[0].items():
            for metric, score in row.items():
                written = self.scores[system][metric]
                if not (
                    math.isclose(written, score, rel_tol=1e-9, abs_tol=1e-12)
                    or (math.isnan(written) and math.isnan(score))
                ):
                    return f"the score of {system} by {metric} is {written:g}, but the shards give {score:g}"
        return ""


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
