"""Benchmark: guarantees of `assay decide` and their results on halves of real outcomes; memory and speed.

    python benchmarks/decide_promise.py [--data OUTCOMES.tsv] [--hallucinations FOLDER] [--halves 200]

Rules are learned on a random half and tested on the other. The outcomes are those of a table (as for `assay breakdown`), of
the hallucination benchmark (an annotator's labels; FOLDER as for `assay run hallucinations --data-dir`), or by default of the
parsing task: translated by Apertium if it is installed, otherwise with controlled errors. Memory and speed are measured on
generated texts, in separate processes.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay.core.errors import InputError
from assay.core.outcomes import TaskOutcomes
from assay.decide.apply import USE, decide
from assay.decide.fit import fit
from assay.decide.goals import Catch, parse_goal
from assay.decide.rule import EVERY, Member
from assay.engine.outcomes import load_outcomes, measure_outcomes
from assay.metrics import build_metrics

GOALS = ("catch 90%", "catch 95%", "at most 25% bad")
METRICS = (("chrf",), ("chrf", "cer", "bleu"))
THIN = 12
"""Examples of one language to learn from in the last block."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="a table of outcomes")
    parser.add_argument("--hallucinations", metavar="FOLDER", help="the folder with the hallucination benchmark")
    parser.add_argument("--halves", type=int, default=200)
    args = parser.parse_args()
    outcomes, what = real_outcomes(args)
    measured, _, _ = measure_outcomes(outcomes, build_metrics(METRICS[-1]))
    scores = {m.name: np.asarray(m.values) for m in measured}
    members = {m.name: Member(m.name, "", m.card.higher_is_better) for m in measured}
    languages = np.array(outcomes.languages)
    print(
        f"{what}: {len(outcomes):,} outcomes, {(~outcomes.success).mean():.0%} breakdowns, {args.halves} random halves\n"
    )
    print(
        f"{'metrics':17} {'goal':16} {'language':10} {'promised':>9} {'kept':>13} {'broken':>7} {'used':>6} {'rules':>6}"
    )
    for chosen in METRICS:
        for goal in GOALS:
            found = halves([members[name] for name in chosen], scores, outcomes.success, languages, goal, args.halves)
            show(" + ".join(chosen), goal, found, args.halves)
    if len(set(languages.tolist())) > 1:
        thin = str(languages[-1])
        found = halves([members["chrf"]], scores, outcomes.success, languages, GOALS[1], args.halves, thin)
        print(f"\nwith {THIN} examples of {thin} to learn from:")
        show("chrf", GOALS[1], {thin: found[thin]}, args.halves)
    print(
        "\nkept: mean share of held-out breakdowns caught, or of bad ones among the used, ± its deviation. broken: halves\n"
        "whose rule had more bad translations than guaranteed (10% may). used: mean share of held-out translations used.\n"
        "rules: halves that gave a rule.\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        memory_and_speed(Path(folder))


def real_outcomes(args: argparse.Namespace) -> tuple[TaskOutcomes, str]:
    if args.data:
        return load_outcomes(args.data, need_split=False), Path(args.data).name
    if args.hallucinations:
        from assay.core.judged import Judged
        from assay.verbs.shared.suites import load_suite

        _, judged = load_suite("hallucinations", data_dir=args.hallucinations)
        assert isinstance(judged, Judged)
        n = len(judged.batch)
        good = np.asarray(judged.labels["correct"], bool)
        return TaskOutcomes.single(judged.batch, good, ["de"] * n, [""] * n), "hallucination benchmark"
    from assay.perturb.making.controlled_errors import find_errors
    from assay.tasks.running import find_task, task_outcomes
    from assay.tasks.translators import open_translator

    task = find_task("parsing")
    if shutil.which("apertium"):
        run = task_outcomes(task, open_translator("apertium"), ["es", "pt", "fr"])
        return run.outcomes, "parsing, Apertium"
    return task_outcomes(task, None, ["en"], errors=find_errors(["all"])[0]).outcomes, "parsing, controlled errors"


@dataclass
class Kept:
    """Results of the rules for one language."""

    promised: list[float] = field(default_factory=list)
    kept: list[float] = field(default_factory=list)
    used: list[float] = field(default_factory=list)


def halves(
    members: Sequence[Member],
    scores: dict[str, np.ndarray],
    good: np.ndarray,
    languages: np.ndarray,
    goal: str,
    repeats: int,
    thin: str = "",
) -> dict[str, Kept]:
    """Learn rules on one half; return guarantees, results and use on the other, by language and overall."""
    wanted, rng = parse_goal(goal), np.random.default_rng(2024)
    spoken = list(dict.fromkeys(languages.tolist()))
    found = {name: Kept() for name in ([EVERY, *spoken] if len(spoken) > 1 else [EVERY])}
    for repeat in range(repeats):
        order = rng.permutation(len(good))
        learn, held = order[: len(order) // 2], order[len(order) // 2 :]
        if thin:
            of_thin = np.flatnonzero(languages[learn] == thin)
            learn = np.delete(learn, of_thin[THIN:])
        try:
            rule = fit(
                members, {m.name: scores[m.name][learn] for m in members}, good[learn], languages[learn].tolist(), wanted,
                seed=repeat,
            )  # fmt: skip
        except InputError:
            continue
        decided = decide(rule, {m.name: scores[m.name][held] for m in members}, languages[held].tolist())
        used, bad = decided.codes == USE, ~good[held]
        for name, kept in found.items():
            mine = np.ones(len(held), bool) if name == EVERY else languages[held] == name
            of = bad & mine if isinstance(wanted, Catch) else used & mine
            promised = rule.groups[name].promised
            if not of.any() or promised is None:
                continue
            kept.promised.append(promised)
            kept.kept.append(float((~used[of]).mean() if isinstance(wanted, Catch) else bad[of].mean()))
            kept.used.append(float(used[mine].mean()))
    return found


def show(metrics: str, goal: str, found: dict[str, Kept], repeats: int) -> None:
    for name, kept in found.items():
        start = f"{metrics:17} {goal:16} {name:10}"
        if not kept.kept:
            print(f"{start} no guarantee was possible")
            continue
        broken = (
            "" if goal.startswith("catch") else f"{np.sum(np.array(kept.kept) > np.array(kept.promised)) / repeats:.1%}"
        )
        caught = f"{np.mean(kept.promised):9.1%} {np.mean(kept.kept):7.1%} ±{np.std(kept.kept):4.1%}"
        print(f"{start} {caught} {broken:>7} {np.mean(kept.used):6.1%} {len(kept.kept):6}")


def memory_and_speed(folder: Path) -> None:
    made_up(folder, 100_000, 200_000)
    outcomes, rule = str(folder / "outcomes.tsv"), str(folder / "rule.json")
    for what, arguments in (
        ("breakdown, six metrics", ["breakdown", "--data", outcomes]),
        ("decide fit, three metrics", ["decide", "fit", "--data", outcomes, "-m", "chrf", "-m", "cer", "-m", "bleu"]),
        ("decide fit, chrF", ["decide", "fit", "--data", outcomes, "--out", rule]),
    ):
        seconds, megabytes = timed(arguments)
        print(f"100,000 outcomes: {what:26} {seconds:6.1f} s {megabytes:7.0f} MB peak")
    texts = ["--mt", str(folder / "mt"), "--ref", str(folder / "ref"), "--format", "tsv", "--out", str(folder / "out")]
    rows = {"score": ["score", "-m", "chrf", *texts], "apply": ["decide", "apply", "--rule", rule, *texts]}
    times = {name: min(timed(arguments)[0] for _ in range(3)) for name, arguments in rows.items()}
    print(
        f"200,000 translations: score {times['score']:.2f} s, decide apply {times['apply']:.2f} s, "
        f"{times['apply'] / times['score']:.2f} times as long (best of three, including start-up)"
    )


def made_up(folder: Path, outcomes: int, translations: int) -> None:
    """Generate sentences of 18 words of which up to seven are wrong; more wrong words make a breakdown more likely."""
    rng = np.random.default_rng(1)
    words = np.array([f"w{number:x}" for number in range(20_000)])
    wrong = rng.integers(0, 8, translations)
    references = words[rng.integers(0, len(words), (translations, 18))]
    changed = np.where(
        np.arange(18) < wrong[:, None], words[rng.integers(0, len(words), (translations, 18))], references
    )
    mt, ref = ([" ".join(row) for row in texts.tolist()] for texts in (changed, references))
    bad = rng.random(translations) < wrong / 10
    (folder / "mt").write_text("\n".join(mt) + "\n")
    (folder / "ref").write_text("\n".join(ref) + "\n")
    lines = ["source\ttranslation\treference\tback_translation\toutcome\tlanguage\tsplit"]
    for i in range(outcomes):
        language, part = ("es", "pt", "fr", "de")[i % 4], ("dev", "test")[i // 4 % 2]
        lines.append(f"{ref[i]}\t{mt[i]}\t{ref[i]}\t{mt[i]}\t{'bad' if bad[i] else 'good'}\t{language}\t{part}")
    (folder / "outcomes.tsv").write_text("\n".join(lines) + "\n")


def timed(arguments: Sequence[str]) -> tuple[float, float]:
    """Return seconds and peak megabytes of an assay command in a separate process."""
    code = (
        "import sys\nfrom assay.cli.main import main\nassert main(sys.argv[1:]) == 0\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')), file=sys.stderr)"
    )
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return time.perf_counter() - started, int(done.stderr.split()[-1]) / 1024


if __name__ == "__main__":
    main()
