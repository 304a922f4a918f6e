"""Make the table of how often annotators agree with a difference between two systems (src/assay/data/agreement.csv).

    python scripts/make_agreement.py FOLDER [--metrics bleu,chrf] [--out agreement.csv]

FOLDER holds the WMT23 tree, or one archive per language pair. Two systems of a language pair that MQM does not tie are one
pair: the size of the metric's difference, and whether annotators prefer the system that the metric prefers. Pairs are sorted by
size and cut into bins of 20 pairs or more, once per group of languages (all, into English, from English) and quality band (all
systems, the better half by MQM). Human translations are left out. The interval of a bin is Wilson's or that of a bootstrap over
systems, whichever reaches further on each side: pairs that share a system are not independent.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.analyses.meta.recipes import MetaTask
from assay.analyses.meta.tasks import gather
from assay.analyses.meta.tasks import judged_systems as taking_part
from assay.core.judged_systems import JudgedSystems
from assay.data.agreement import FEWEST, GROUPS, group_of
from assay.engine.measure import measure_systems
from assay.engine.store import Store
from assay.metrics import build_metrics
from assay.stats.proportions import wilson
from assay.suites.wmt import facts, judged_systems, pair_facts, read_pairs

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "src" / "assay" / "data" / "agreement.csv"
PAIRS = ("en-de", "he-en", "zh-en")
METRICS = (
    "assay-mini", "assay-mini.mqm", "assay-mini.unit", "bleu", "cer", "chrf", "chrf++", "meteor", "rouge1", "rouge2", "rougeL",
    "ter", "wer",
)  # fmt: skip
MOST_BINS, DRAWS, SEED = 6, 2000, 12345
HEAD = """\
# WMT23 (en-de, he-en, zh-en; MQM; without human translations): of the pairs of systems whose scores differ by low to high, how
# many annotators order as the metric does. Bins of 20 pairs or more; "better": the better half of the systems of each language
# pair by MQM. Metrics have their default options; assay-mini reads source and reference. Made by scripts/make_agreement.py.
"""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """Pairs of systems of all language pairs: sizes of the metric's differences, and whether annotators agree."""

    sizes: Floats
    agree: Floats
    langpairs: Sequence[str]
    systems: NDArray[np.int64]
    """Indices of the two systems of each pair, within its language pair."""
    better: NDArray[np.bool_]

    def only(self, chosen: NDArray[np.bool_]) -> Pairs:
        """Select some of the pairs."""
        langpairs = [pair for pair, one in zip(self.langpairs, chosen, strict=True) if one]
        return Pairs(self.sizes[chosen], self.agree[chosen], langpairs, self.systems[chosen], self.better[chosen])


def pairs_of(golds: Mapping[str, Floats], scores: Mapping[str, Floats]) -> Pairs:
    """Return all pairs that annotators do not rank equal."""
    sizes, agree, langpairs, systems, better = [], [], [], [], []
    for langpair, gold in golds.items():
        half = np.argsort(np.argsort(-gold)) < (len(gold) + 1) // 2
        for i in range(len(gold)):
            for j in range(i + 1, len(gold)):
                people, points = gold[i] - gold[j], scores[langpair][i] - scores[langpair][j]
                if people:
                    sizes.append(abs(points))
                    agree.append(np.sign(points) == np.sign(people))
                    langpairs.append(langpair)
                    systems.append((i, j))
                    better.append(half[i] and half[j])
    return Pairs(np.array(sizes), np.array(agree, float), langpairs, np.array(systems), np.array(better))


def bins(pairs: Pairs) -> Iterator[dict[str, object]]:
    """Return the rows of one group and band."""
    many = min(MOST_BINS, len(pairs.sizes) // FEWEST)
    if not many:
        return
    order = np.argsort(pairs.sizes, kind="stable")
    parts = np.array_split(order, many)
    ends = [(pairs.sizes[one[-1]] + pairs.sizes[other[0]]) / 2 for one, other in pairwise(parts)]
    drawn = weights(pairs)
    for part, low, high in zip(parts, [0.0, *ends], [*ends, pairs.sizes[order[-1]]], strict=True):
        right, mass = drawn[:, part] @ pairs.agree[part], drawn[:, part].sum(axis=1)
        shares = right[mass > 0] / mass[mass > 0]
        bounds = [*np.percentile(shares, [2.5, 97.5]), *wilson(int(pairs.agree[part].sum()), len(part))]
        yield {
            "low": f"{low:.5g}", "high": f"{high:.5g}", "pairs": len(part), "agree": int(pairs.agree[part].sum()),
            "agree_low": f"{min(bounds[0::2]):.3f}", "agree_high": f"{max(bounds[1::2]):.3f}",
        }  # fmt: skip


def weights(pairs: Pairs) -> Floats:
    """Count each pair in resamples of the systems of each language pair (draws by pairs)."""
    rng, out = np.random.default_rng(SEED), np.ones((DRAWS, len(pairs.sizes)))
    for langpair in PAIRS:
        mine = np.array([one == langpair for one in pairs.langpairs])
        if mine.any():
            there, places = np.unique(pairs.systems[mine], return_inverse=True)
            times = rng.multinomial(len(there), np.full(len(there), 1 / len(there)), size=DRAWS)
            left, right = places.reshape(-1, 2).T
            out[:, mine] = times[:, left] * times[:, right]
    return out


def gold_of(judged: JudgedSystems) -> tuple[Floats, list[int]]:
    """Return MQM of the participating systems, and their rows."""
    task = MetaTask(1, (judged.langpair,), "sys", "pairwise_accuracy", human=False)
    data = gather(task, {judged.langpair: judged})
    return data.gold[0], [judged.systems.index(name) for name in taking_part(task, judged)]


def main() -> None:
    """Score the systems and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--metrics", default=",".join(METRICS))
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    sets, official = read_pairs(args.folder, PAIRS), facts("wmt23")
    about = {pair: pair_facts(evalset, official) for pair, evalset in sets.items()}
    golds, places = {}, {}
    for pair, evalset in sets.items():
        golds[pair], places[pair] = gold_of(judged_systems(evalset, about[pair]))
    built = build_metrics(args.metrics.split(","))
    store = Store.for_metrics(built, True)
    rows = []
    for name, metric in built.items():
        scores = {}
        for pair, evalset in sets.items():
            found = measure_systems(evalset, about[pair].standard_reference, metric, store=store).sys
            assert found is not None
            scores[pair] = found[places[pair]]
        pairs = pairs_of(golds, scores)
        for group in GROUPS:
            inside = np.array([group in ("all", group_of(pair)) for pair in pairs.langpairs])
            for band, chosen in (("all", inside), ("better", inside & pairs.better)):
                lead = {"metric": name, "languages": group, "systems": band}
                rows += [{**lead, **row} for row in bins(pairs.only(chosen))]
        print(name, len(pairs.sizes), flush=True)
    with args.out.open("w", encoding="utf-8", newline="") as stream:
        stream.write(HEAD)
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
