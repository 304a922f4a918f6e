"""Readers of tables: texts, judgements, challenge sets."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import zstandard

from tests.fuzz.markup import FILES, SGML, TMX, WMT, XLIFF, XLIFF2
from tests.fuzz.target import PAIRS, TEXTS, Read, Target, columns, comma, drain, jsonl, keyed, parquet, tsv


def tables() -> list[Target]:
    """Tables of texts in every form, and plain lines."""
    from assay.io.files.text import read_parallel
    from assay.io.table.tables import columns_of, read_segments, read_table
    from assay.io.table.wmt_sets import segment_lists
    from assay.tasks.translators import Ready

    def table(path: Path) -> None:
        drain(read_table(path, chunk=2))

    def lines(path: Path) -> None:
        drain(read_parallel([path, path], 2))

    def sgml(path: Path) -> None:
        drain(iter(segment_lists([str(path)]).values()))

    def segments(path: Path) -> None:
        columns_of(path)
        drain(read_segments(path, quoting="csv"))

    plain, several = tsv(TEXTS), [{"mt": "a", "references": ["b", "c"]}, {"mt": "d", "references": ["e", "f"]}]
    return [
        Target("table.tsv", "a.tsv", plain, table),
        Target("table.csv", "a.csv", comma(TEXTS), table),
        Target("table.jsonl", "a.jsonl", jsonl(keyed(TEXTS)), table),
        Target("table.references", "a.jsonl", jsonl(several), table),
        Target("table.json", "a.json", json.dumps(keyed(TEXTS)).encode(), table),
        Target("table.gz", "a.tsv.gz", gzip.compress(plain), table),
        Target("table.xz", "a.tsv.xz", lzma.compress(plain), table, weight=0.3),
        Target("table.zst", "a.tsv.zst", zstandard.compress(plain), table),
        Target("table.parquet", "a.parquet", parquet(columns(TEXTS)), table, weight=0.3),
        Target(
            "table.parquet.plain", "a.parquet", parquet(columns(TEXTS), compression="uncompressed"), table, weight=0.3
        ),
        Target("table.semicolon", "a.csv", plain.replace(b"\t", b";"), table),
        Target("table.utf16", "a.txt", plain.decode().encode("utf-16"), table),
        Target("table.across", "a.tsv", b'mt\tref\n"a\nb"\t"c ""d"""\ne\tf\n', table),
        Target("table.xlsx", "a.xlsx", (FILES / "xlsxwriter.xlsx").read_bytes(), table),
        Target("table.inline", "a.xlsx", (FILES / "inline.xlsx").read_bytes(), table),
        Target("table.feather", "a.feather", (FILES / "pandas.feather").read_bytes(), table, weight=0.3),
        Target(
            "table.stream", "a.arrow", (FILES / "saved" / "data-00000-of-00002.arrow").read_bytes(), table, weight=0.3
        ),
        Target("table.tmx", "a.tmx", TMX.encode(), table),
        Target("table.xliff", "a.xlf", XLIFF.encode(), table),
        Target("table.xliff2", "a.xlf", XLIFF2.encode(), table),
        Target("table.wmt", "a.xml", WMT.encode(), table),
        Target("table.sgml", "a.sgm", SGML.encode(), table),
        Target("lines.sgml", "a.sgm", SGML.encode(), sgml),
        Target("segments", "a.tsv", plain, segments),
        Target("segments.csv", "a.csv", comma(TEXTS), segments),
        Target("lines", "a.txt", plain, lines),
        Target("lines.gz", "a.gz", gzip.compress(plain), lines),
        Target("lines.zst", "a.zst", zstandard.compress(plain), lines),
        Target("translations", "a.tsv", b"source\ttranslation\tlangpair\na\tb\tes-en\n", lambda path: Ready(str(path))),
    ]


def judgements() -> list[Target]:
    """What people and other tools said."""
    from assay.io.judgements import decisions
    from assay.io.judgements.campaign import read_campaign
    from assay.io.judgements.mqm import read_mqm
    from assay.io.judgements.outcomes import read_outcomes
    from assay.io.judgements.tables import read_judged_table
    from assay.io.scores.metric_file import read_pairs, read_values
    from assay.io.scores.precomputed import read_precomputed_scores

    ids = ["1", "2", "3"]
    scored = [["id", "good", "incorrect", "score"], *([i, 0.5, 0.25, 1.5] for i in ids)]
    outcome = [
        ["source", "translation", "reference", "outcome", "language", "split", "id", "part", "comet"],
        ["s1", "t1", "r1", "success", "es", "dev", "1", "question", "0.5"],
        ["s2", "t2", "r2", "breakdown", "es", "test", "2", "context", "0.25"],
    ]
    judged = [["src", "mt", "ref", "score", "lp"], ["a", "b", "c", "0.5", "en-de"], ["d", "e", "f", "", "en-de"]]
    assessed = [
        ["langpair", "system", "segment", "rater", "score"],
        ["en-de", "A", "1", "r", "70"],
        ["en-de", "B", "1", "r", "90"],
    ]
    mqm = [
        ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"],
        ["A", "d", "1", "1", "r1", "Der Hund", "The <v>cat</v>", "Accuracy/Mistranslation", "Major"],
        ["A", "d", "1", "1", "r2", "Der Hund", "The cat", "No-error", "No-error"],
    ]
    decided = jsonl({"key": f"k{i}", "choice": "pass", "time": "2026", "who": "me"} for i in range(3))

    spans = '[{"start_i": 0, "end_i": 1, "severity": "minor"}]'
    export = ["r", "A", "5", "TGT", "eng", "jpn", "80", "d", "False", spans, "1.5", "2.5"]
    appraise = [export, [*export[:2], "6", *export[3:]]]
    span = {"start": 1, "end": 3, "severity": "major", "category": "style", "confidence": 0.5, "text": "bc"}
    marked = [{"system": "A", "segment": i, "mt": "abcd", "spans": [span]} for i in range(3)]
    said = (
        'Major:\nstyle - "bc"\nMinor:\nno-error',
        "'bc' - minor/style; none",
        '[{"span": "bc", "severity": "minor"}]',
    )
    answered = [{"mt": "abcd", "src": "x", "answer": answer} for answer in said]

    def outcomes(path: Path) -> None:
        read_outcomes(path, scores=["comet"])

    def values(path: Path) -> None:
        read_values(path, ids)

    def pairs(path: Path) -> None:
        read_pairs(path, ids)

    def decision_file(path: Path) -> None:
        decisions.latest(path)
        decisions.append(path, decisions.Decision("a", "b", "c", "d"))
        decisions.latest(path)

    def ready(path: Path) -> None:
        drain(read_precomputed_scores(path, ["comet"], {}))

    def two(read: Callable[..., object]) -> Read:
        def both(path: Path) -> None:
            read(path, skip_bad=True)
            read(path)

        return both

    return [
        Target("mqm", "a.tsv", tsv(mqm), two(read_mqm)),
        Target("da.csv", "a.csv", comma(assessed), two(read_campaign)),
        Target("outcomes.tsv", "a.tsv", tsv(outcome), outcomes),
        Target("outcomes.jsonl", "a.jsonl", jsonl(keyed(outcome)), outcomes),
        Target("judged.tsv", "a.tsv", tsv(judged), two(read_judged_table)),
        Target(
            "judged.jsonl",
            "a.jsonl",
            jsonl({"src": "a", "mt": "b", "ref": ["c"], "score": i / 3} for i in range(3)),
            two(read_judged_table),
        ),
        Target("scores.tsv", "a.tsv", tsv(scored), values),
        Target("scores.plain", "a.tsv", tsv([[i, 0.5] for i in ids]), values),
        Target(
            "scores.systems", "a.seg.score", tsv([["good", 0.5]] * 3 + [["incorrect", 0.25]] * 3), pairs, kind=".tsv"
        ),
        Target("scores.json", "a.json", json.dumps(keyed(scored)).encode(), pairs),
        Target("scores.jsonl", "a.jsonl", jsonl(keyed(scored)), pairs),
        Target("scores.parquet", "a.parquet", parquet(columns(scored)), pairs, weight=0.3),
        Target("ready", "a.tsv", tsv(outcome), ready),
        Target("ready.jsonl", "a.jsonl", jsonl(keyed(outcome)), ready),
        Target("decisions", "a.jsonl", decided, decision_file),
        Target("campaign.mqm", "a.tsv", tsv(mqm), two(read_campaign)),
        Target("campaign.appraise", "a.csv", comma(appraise), two(read_campaign)),
        Target("campaign.spans", "a.jsonl", jsonl(marked), two(read_campaign)),
        Target("campaign.answers", "a.jsonl", jsonl(answered), two(read_campaign)),
    ]


def suites() -> list[Target]:
    """Challenge sets and judged sets."""
    from assay.suites.aces import Aces
    from assay.suites.contrastive import Contrastive
    from assay.suites.demetr import Demetr
    from assay.suites.dfki_files import load_items, load_outputs
    from assay.suites.hallucinations import Hallucinations

    def contrastive(path: Path) -> None:
        Contrastive(path, skip_bad=True).load()
        Contrastive(path, quoting="csv").load()

    demetr = {
        "src_sent": "Ein Hund.",
        "eng_sent": "A dog.",
        "mt_sent": "One dog.",
        "pert_sent": "dog.",
        "lang_tag": "german",
        "id": 1,
        "pert_check": True,
        "data_source": "wmt",
    }
    item = {
        "id": "001",
        "langpair": "deen",
        "category": "Ambiguity",
        "phenomenon": "Lexical",
        "source_sentence": "Der Mann kam.",
        "positive_regex": "man",
        "negative_regex": "husband|\\bhe\\b",
        "positive_tokens": ["The man came."],
        "negative_tokens": [],
    }
    labels = ["repetitions", "named-entities", "omission", "strong-unsupport", "full-unsupport"]
    corpus = [
        ["", "src", "mt", "ref", *labels],
        ["1", "Ein Hund", "A dog", "One dog", *"00100"],
        ["2", "Ja", "Yes", "Yes", *"00000"],
    ]
    outputs = [
        ["id", "year", "system", "output"],
        ["001", "2021", "A", "The man came."],
        ["001", "2021", "B", "He came."],
    ]
    return [
        Target("contrastive.tsv", "a.tsv", tsv(PAIRS), contrastive),
        Target("contrastive.csv", "a.csv", comma(PAIRS), contrastive),
        Target("contrastive.jsonl", "a.jsonl", jsonl(keyed(PAIRS)), contrastive),
        Target("contrastive.json", "a.json", json.dumps(keyed(PAIRS)).encode(), contrastive),
        Target("aces", "aces/aces.tsv", tsv(PAIRS), lambda path: Aces().load(path.parent)),
        Target(
            "demetr",
            "demetr/base_id35_reference.jsonl",
            jsonl([demetr, {**demetr, "id": 2}]),
            lambda path: Demetr().load(path.parent),
        ),
        Target(
            "hallucinations", "h/annotated_corpus.csv", comma(corpus), lambda path: Hallucinations().load(path.parent)
        ),
        Target("dfki.items", "a.json", json.dumps({"items": [item, {**item, "id": "002"}]}).encode(), load_items),
        Target("dfki.outputs", "a.tsv", tsv(outputs), load_outputs),
    ]
