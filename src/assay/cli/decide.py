"""``assay decide``: learn a rule from outcomes, and label new translations with it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.decide.apply import Decisions
    from assay.decide.rule import Rule
    from assay.decide.tally import Tally

SUMMARY = "Learn from outcomes which translations to use, review or reject, and label new ones."
EXAMPLES = """examples:
  assay breakdown --task parsing --translator none --error all --run-dir parsing    # or outcomes of your own
  assay decide fit --data parsing/outcomes.tsv -m chrf --goal "catch 95%" --out rule.json
  assay decide apply --rule rule.json --src new.es --mt new.en --ref new.ref.en --lang es --format tsv

Goals: "catch 95%" (of breakdowns), "at most 2% bad" (among what is used), "cost use-bad=10 review=1 reject-good=4".
The first two come with a promise that holds for finite samples; the rule's card says what was promised and, where the
outcomes have a test part, what was kept. apply warns when scores no longer lie as they did."""
ONLY_FIT = ("goal", "confidence", "reject_at", "score", "langs", "dev_share", "seed")
ONLY_APPLY = ("rule", "lang", "mt", "ref", "src", "langpair")
FORMATS = ("table", "tsv", "jsonl", "csv", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this verb."""
    from assay.cli.options import add_metrics, add_output, add_texts, natural

    parser.add_argument("action", choices=["fit", "apply"], help="what to do")
    add_metrics(parser)
    add_texts(parser)
    parser.add_argument("--goal", metavar="GOAL", help="fit: what to achieve (default: catch 95%%)")
    parser.add_argument("--confidence", type=float, metavar="P", help="fit: of 'at most …' (default: 0.9)")
    parser.add_argument(
        "--reject-at",
        type=float,
        metavar="P",
        help="fit: reject from this breakdown probability on (default: 0.5)",
    )
    parser.add_argument("--score", action="append", default=[], metavar="COLUMN", help="fit: ready scores in --data")
    parser.add_argument("--langs", metavar="xx,yy", help="fit: these languages only")
    parser.add_argument("--dev-share", type=float, metavar="SHARE", help="fit: learn from this share, test on the rest")
    parser.add_argument("--seed", type=natural, metavar="N", help="fit: seed (default: 12345)")
    parser.add_argument("--rule", metavar="FILE", help="apply: the rule")
    parser.add_argument("--lang", metavar="xx", help="apply: the language translated from")
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Fit or apply."""
    return {"fit": _fit, "apply": _apply}[args.action](args)


def _fit(args: argparse.Namespace) -> int:
    from assay.cli.options import column_map
    from assay.cli.output import emit, note
    from assay.core.errors import InputError
    from assay.verbs.decide import fit_rule

    _refuse(args, ONLY_APPLY, "apply")
    if not args.data:
        raise InputError("assay decide fit learns from a table of outcomes: --data outcomes.tsv.")
    chosen = {
        name: value
        for name in ("dev_share", "confidence", "reject_at", "seed")
        if (value := getattr(args, name)) is not None
    }
    fitted = fit_rule(
        args.data,
        args.metrics if args.metrics is not None else ([] if args.score else ["chrf"]),
        args.goal or "catch 95%",
        scores=args.score,
        columns=column_map(args.columns),
        langs=[language.strip() for language in (args.langs or "").split(",") if language.strip()],
        workers=args.workers,
        **chosen,
    )
    if args.out:
        fitted.save(args.out)
    emit([fitted.table()], argparse.Namespace(**{**vars(args), "out": None}))
    kept = (
        f"wrote {args.out} · assay decide apply --rule {args.out} --mt …"
        if args.out
        else "not kept: --out rule.json keeps it"
    )
    note(kept, args.quiet)
    return 0


def _apply(args: argparse.Namespace) -> int:
    from assay.cli.output import Output
    from assay.cli.texts import finish, rows_progress, text_request
    from assay.core.errors import InputError
    from assay.decide.labelling import KEPT, labelled
    from assay.decide.tally import Tally
    from assay.verbs.decide import read_rule, rule_metrics
    from assay.verbs.score import ScoreResult, flag_notes

    _refuse(args, ONLY_FIT, "fit")
    if not args.rule:
        raise InputError("assay decide apply needs a rule: --rule rule.json (assay decide fit makes one).")
    if args.metrics:
        raise InputError("the rule says which metrics to use: leave out -m.")
    if args.mt and len(args.mt) > 1:
        raise InputError("assay decide apply labels one system at a time: give one --mt.")
    rule = read_rule(args.rule)
    tally = Tally(rule)
    if all(member.source == "column" for member in rule.members):
        _write(args, tally, _by_ready_scores(rule, args))
        return _tell(args, tally)
    asked = text_request(args, rule_metrics(rule))
    with rows_progress(asked, args.quiet) as progress:
        run = asked.run(KEPT, args.workers, True, progress.add)
    with ScoreResult({}, run, {}, files=[*asked.inputs.paths, args.rule]) as result:
        _write(args, tally, labelled(rule, run.chunks(), args.lang or ""))
        _tell(args, tally, flag_notes(run.flags))
    finish(result, Output.of(args))
    return 0


def _by_ready_scores(rule: Rule, args: argparse.Namespace) -> Iterator[Decisions]:
    """Decisions about the rows of a table that brings the scores the rule was learned from."""
    from assay.cli.options import column_map
    from assay.core.errors import InputError
    from assay.decide.apply import decide
    from assay.io.scores.ready import read_ready_scores

    names = [member.name for member in rule.members]
    if not args.data:
        raise InputError(f"the rule goes by ready scores: give a table with them, --data FILE ({', '.join(names)}).")
    empty = True
    for scores, languages in read_ready_scores(args.data, names, column_map(args.columns)):
        yield decide(rule, scores, args.lang or languages)
        empty = False
    if empty:
        raise InputError(f"{args.data} is empty: there is nothing to label.")


def _tell(args: argparse.Namespace, tally: Tally, notes: Sequence[str] = ()) -> int:
    """The counts, or behind rows that went elsewhere the warnings alone."""
    from assay.cli.output import emit, note
    from assay.decide.tables import labels_table, warnings

    if args.format == "table":
        emit([labels_table(tally, notes)], args)
    elif args.format != "json":
        for warning in warnings(tally):
            note(warning, args.quiet)
    return 0


def _refuse(args: argparse.Namespace, options: Sequence[str], action: str) -> None:
    """An option of the other action would change nothing: say so instead of passing over it."""
    from assay.core.errors import InputError

    for option in options:
        if getattr(args, option) not in (None, []):
            raise InputError(f"--{option.replace('_', '-')} goes with assay decide {action}.")


def _write(args: argparse.Namespace, tally: Tally, chunks: Iterable[Decisions]) -> None:
    """Count every chunk, and write its rows where rows are wanted; a file appears only when whole."""
    from assay.decide.tables import labels_frame, warnings
    from assay.io.files.atomic import atomic_write

    if args.format == "table":
        for part in chunks:
            tally.add(part)
        return
    with atomic_write(args.out, "w") if args.out and args.out != "-" else nullcontext(sys.stdout) as stream:
        separator = f'{{"goal": {json.dumps(tally.rule.goal)}, "segments": [\n'
        for part in chunks:
            rows = labels_frame(part, len(tally) + 1)
            if args.format == "json":
                stream.write(separator + rows.write_ndjson().rstrip("\n").replace("\n", ",\n"))
                separator = ",\n"
            elif args.format == "jsonl":
                stream.write(rows.write_ndjson())
            else:
                comma, first = "\t" if args.format == "tsv" else ",", len(tally) == 0
                stream.write(rows.write_csv(separator=comma, include_header=first, float_precision=4))
            tally.add(part)
        if args.format == "json":
            rest = json.dumps({"counts": tally.shares(), "warnings": warnings(tally)}, ensure_ascii=False)
            stream.write(f"],\n{rest[1:]}\n")
        stream.flush()
