"""Runs that people's judgements and outcomes stand behind, small enough to be made in a second."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import assay
from assay.core.batch import Batch
from assay.core.outcomes import TaskOutcomes
from assay.verbs.decide import fit_rule
from tests import wmt

ARABIC = "نظام"


def meta_run(folder: Path, work: Path) -> None:
    """Two language pairs of a made-up year: stored metrics and one of ours, with tests and what a point is worth."""
    for pair in ("en-de", "he-en"):
        standard = "refB" if pair == "he-en" else "refA"
        names = (f"BLEU-{standard}", f"chrF-{standard}", f"XCOMET-XL-{standard}", "CometKiwi-src")
        wmt.make_pair(work / "wmt23", pair, metrics=names, systems=("A", "B", "C", "D", "E"), segments=40)
    assay.meta(
        "wmt23", ["chrf"], data_dir=work, significance=True, worth=True, draws=60, stored=["*"], store=False
    ).write(folder, ())  # fmt: skip


def campaign_run(folder: Path, work: Path) -> None:
    """Three systems, one of them with a name from right to left, judged by two raters; a metric beside them."""
    rng = np.random.default_rng(3)
    lines = ["langpair\tsystem\tsegment\trater\tscore\tmt\tsrc\tref"]
    for name, mean in (("good", 90), (ARABIC, 70), ("<b>bad</b>", 50)):
        for segment in range(1, 16):
            for rater in ("r1", "r2"):
                score = round(float(mean + rng.normal(0, 6)), 2)
                texts = (f"مرحبا {segment}", f"hello {segment}", f"مرحبا {segment + mean % 7}")
                lines.append("\t".join(["en-ar", name, str(segment), rater, str(score), *texts]))
    (work / "judged.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assay.campaign(work / "judged.tsv", ["chrf"], samples=100).write(folder, ())


def outcomes(n: int = 240) -> TaskOutcomes:
    """Translations of two tasks and languages: the better they score, the rarer they break down; some have error types."""
    rng = np.random.default_rng(5)
    score = rng.uniform(0, 100, n).round(3)
    good = rng.uniform(0, 100, n) < score
    score[7] = np.nan
    batch = Batch(
        [f"translation {i} with {round(s) if s == s else 0} words" for i, s in enumerate(score)],
        [f"source {i}" for i in range(n)],
        ([f"reference {i}" for i in range(n)],),
    )
    return TaskOutcomes.single(
        batch, good, ["es" if i % 3 else "pt" for i in range(n)], ["dev" if i % 2 else "test" for i in range(n)],
        tasks=["parsing" if i % 4 < 2 else "answering" for i in range(n)],
        error_types=[("word order", "punctuation", "")[i % 3] for i in range(n)], scores={"mine": score},
    )  # fmt: skip


def decision_runs(folder: Path) -> None:
    """A breakdown analysis, two rules (one of a metric that is better when lower) and the labels of one."""
    made = outcomes()
    assay.breakdown(made, [], scores=["mine"], samples=30).write(folder / "breakdown", ())
    rule = fit_rule(made, [], "catch 80%", scores=["mine"])
    rule.write(folder / "rule", ())
    from dataclasses import replace

    turned = replace(made, scores={"errors": 100 - made.scores["mine"]})
    fit_rule(turned, [], "at most 60% bad", scores=["errors:lower"]).write(folder / "lower", ())
    scores = made.scores["mine"]
    assay.apply_rule(rule, scores={"mine": scores}, languages=list(made.languages)).write(folder / "applied", ())
