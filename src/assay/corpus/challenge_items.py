"""Generation of challenge items from one shard of sentences, which ``assay make`` treats as a separate corpus."""

from __future__ import annotations

from typing import Any

from assay.corpus.job import Job, ShardRecord, ShardTask
from assay.corpus.records import check_version, keep_record, shard_key
from assay.corpus.shard_reader import local_files
from assay.corpus.shard_writer import HashedStream, compressed
from assay.corpus.tally import CorpusTally
from assay.io.files.folders import Folder
from assay.io.table.formats import open_table
from assay.perturb.making.job import MakingJob


def make_shard(job: Job, task: ShardTask, folder: Folder) -> ShardRecord:
    """Make the items for one shard."""
    check_version(job)
    asked, name = job.settings, task.shard.name
    with local_files(task) as paths:
        if _without_rows(paths[0], task.shard.form):
            with folder.writing(name) as target, compressed(counted := HashedStream(target), name):
                pass
            return keep_record(folder, task, _record(job, task, counted, CorpusTally()))
        making = MakingJob.prepare(
            asked["perturbations"],
            paths[0],
            langpair=job.langpair,
            columns=job.choice or None,
            quoting=job.quoting,  # type: ignore[arg-type]
            n=asked["n"],
            seed=job.seed,
            workers=1,
            words=tuple(asked["words"]) if asked["words"] else None,
            least=asked["least"],
            pool=asked["pool"],
        )
        with folder.writing(name) as target, compressed(counted := HashedStream(target), name) as stream:
            for line in making.lines(None):
                stream.write(line.encode("utf-8", "backslashreplace") + b"\n")
    card = making.card()
    tally = CorpusTally(rows=making.survey.rows, kept=card["items"], more={"making": _counts(making, card)})
    return keep_record(folder, task, _record(job, task, counted, tally))


def _without_rows(path: str, form: str) -> bool:
    """Whether a shard has no rows, which is not an error in a corpus in many files."""
    with open_table(
        path, form=form, quoting="none" if form == "tsv" else "auto"
    ) as table:  # only the number of rows matters
        return next(iter(table.pieces(range(len(table.names)), 1)), None) is None


def _record(job: Job, task: ShardTask, written: HashedStream, tally: CorpusTally) -> ShardRecord:
    return ShardRecord(shard_key(job, task), tally.to_json(), bytes=written.size, hash=written.hash)


def _counts(made: Any, card: dict[str, Any]) -> dict[str, Any]:
    """Return the counts for the data card, as numbers that can be summed over shards."""
    survey = made.survey
    return {
        "perturbations": {
            spec: {"made": dict(counts.made), "refused": dict(counts.refused), "failed": dict(counts.failed)}
            for spec, counts in made.counts.items()
            if spec not in made.left_out
        },
        "left out": {spec: {reason: 1} for spec, reason in made.left_out.items()},
        "usable": dict(survey.usable),
        "passed over": {
            name: getattr(survey, name)
            for name in ("empty", "duplicates", "outside", "without_reference", "without_source")
        },
        "versions": {name: {version: 1} for name, version in card["versions"].items()},
    }
