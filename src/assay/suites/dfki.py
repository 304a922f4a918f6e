"""DFKI test suite (Macketanz et al. 2022): sentences that each test one phenomenon, and outputs of MT systems for them.

The suite contains sentences with rules, not translations of known quality. `dfki_judge` applies the rules to the outputs of
WMT systems, `build` makes contrastive items from the judged outputs (Avramidis et al. 2023, Section 3.2), and `Dfki` does
both on loading.

A challenge item uses one right translation as the reference, another right one as the good candidate and a wrong one as the
incorrect candidate, all for the same sentence. The paper takes random combinations and does not say how many per sentence. Here
every sentence with two right translations and a wrong one gives one combination, then a second, and so on, until there are `n`
or its combinations are used up. No sentence is left out, and sentences are weighted as evenly as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import InputError, MissingPart, count
from assay.core.item import Item
from assay.core.suite import Suite, SuiteCard
from assay.data import checksums
from assay.io.judgements.decisions import fold, latest
from assay.suites.dfki_files import DfkiItem, LangPair, Outputs, load_items, load_outputs
from assay.suites.dfki_judge import JudgedOutputs, judge

if TYPE_CHECKING:
    import numpy as np

Pool = tuple[list[str], list[str]]
"""The distinct right and the distinct wrong translations of one sentence."""


PAPER = 10_000
"""Number of items in the paper's set."""


def build(items: Sequence[DfkiItem], judged: JudgedOutputs, n: int | None = None, seed: int = 12345) -> list[Item]:
    """Build `n` challenge items without duplicate combinations; they depend on `seed` and the texts, not on the order of outputs.

    Without `n`, build the paper's 10,000, or as many as the outputs allow. Texts that differ only in whitespace are the
    same text. Sentences that occur under two phenomena give items for both.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    by_item = pools(judged)
    usable = [(item, by_item[item.id]) for item in items if item.id in by_item and combinations(by_item[item.id])]
    available = [combinations(pool) for _, pool in usable]
    quotas = _quotas(available, min(PAPER, sum(available)) if n is None else n, judged.langpair, rng)
    built = []
    for (item, pool), quota in zip(usable, quotas, strict=True):
        indices = rng.choice(combinations(pool), size=quota, replace=False)
        built += [_challenge(item, pool, int(index), number) for number, index in enumerate(indices, 1)]
    return built


def pools(judged: JudgedOutputs) -> dict[str, Pool]:
    """Return the right and wrong translations for each item, sorted; a text judged both ways is left out."""
    right: dict[str, dict[str, str]] = {}
    wrong: dict[str, dict[str, str]] = {}
    for id, text, ruling in zip(judged.outputs.ids, judged.outputs.texts, judged.rulings, strict=True):
        if ruling.verdict == "unresolved" or not (folded := fold(text)):
            continue
        texts = (right if ruling.verdict == "pass" else wrong).setdefault(id, {})
        texts[folded] = min(text, texts.get(folded, text))
    return {id: (_without(texts, wrong.get(id, {})), _without(wrong.get(id, {}), texts)) for id, texts in right.items()}


def _without(texts: dict[str, str], others: dict[str, str]) -> list[str]:
    return [texts[folded] for folded in sorted(texts) if folded not in others]


def combinations(pool: Pool) -> int:
    """Return how many challenge items a pool allows: ordered pairs of right translations, times the number of wrong ones."""
    right, wrong = pool
    return len(right) * (len(right) - 1) * len(wrong)


def _challenge(item: DfkiItem, pool: Pool, index: int, number: int) -> Item:
    right, wrong = pool
    index, incorrect = divmod(index, len(wrong))
    reference, other = divmod(index, len(right) - 1)
    good = other + (other >= reference)
    return Item(
        id=f"{item.id}.{number}",
        source=fold(item.source),
        reference=right[reference],
        good=right[good],
        incorrect=wrong[incorrect],
        phenomenon=item.phenomenon,
        category=item.category,
        langpair=item.langpair,
        meta={"test_item": item.id},
    )


def _quotas(available: Sequence[int], n: int, langpair: str, rng: np.random.Generator) -> list[int]:
    """Distribute items as evenly over sentences as their numbers of combinations allow; the remainder is drawn at random."""
    if not available:
        raise InputError(
            f"no DFKI items can be built: no sentence of the judged {langpair} outputs has two right translations and a wrong one."
        )
    if not 1 <= n <= sum(available):
        raise InputError(
            f"cannot build n={n:,} DFKI items: the judged {langpair} outputs suffice for 1 to {sum(available):,}."
        )
    level = 0
    while level < max(available) and sum(min(have, level + 1) for have in available) <= n:
        level += 1
    quotas = [min(have, level) for have in available]
    more = [i for i, have in enumerate(available) if have > level]
    for i in rng.choice(len(more), size=n - sum(quotas), replace=False) if more else ():
        quotas[more[int(i)]] += 1
    return quotas


class Dfki(Suite):
    """Contrastive items built from judged outputs of WMT21-23; the same options always give the same items."""

    card = SuiteCard(
        name="dfki",
        title="DFKI linguistic test suite",
        kind="contrastive",
        analysis="dfki",
        origin="github.com/DFKI-NLP/mt-testsuite (items) and github.com/wmt-conference/wmt2{1,2,3}-news-systems (outputs)",
        licence="CC BY-NC-SA 4.0 (items); WMT submissions are public for research",
        citation="Macketanz et al. 2022, A linguistically motivated test suite to semi-automatically evaluate "
        "German-English machine translation output; Avramidis et al. 2023, Challenging the state-of-the-art machine "
        "translation metrics from a linguistic perspective",
        languages="de-en, en-de",
        folders=("dfki",),
        how_to_get="Put items.LP.json and outputs.LP.tsv (gzipped or not; LP is de-en or en-de, or en-ru with items of your own) "
        "into a folder 'dfki' of the "
        "data directory: items from github.com/DFKI-NLP/mt-testsuite, outputs (columns id, year, system, output) from the "
        "txt-ts folders of github.com/wmt-conference/wmt21-news-systems, wmt22-news-systems and wmt23-news-systems.",
        checksums=checksums("dfki"),
    )

    def __init__(
        self, *, langpair: LangPair = "de-en", n: int | None = None, seed: int = 12345, decisions: str | None = None
    ) -> None:
        self.langpair, self.n, self.seed, self.decisions = langpair, n, seed, decisions
        self.notes: list[str] = []

    def load(self, folder: Path | None) -> list[Item]:
        """Read items and outputs, judge them by rules and human decisions, and build `n` items."""
        items, outputs = read_folder(folder, self.langpair)
        decisions = latest(Path(self.decisions)) if self.decisions else {}
        built = build(items, judge(items, outputs, decisions), self.n, self.seed)
        if self.n is None and len(built) < PAPER:
            self.notes = [f"{count(len(built), 'item')}: all that the judged {self.langpair} outputs allow"]
        return built


def read_folder(folder: Path | None, langpair: LangPair) -> tuple[list[DfkiItem], Outputs]:
    """Read the items and outputs for one direction from a folder that contains both files."""
    if folder is None:
        raise MissingPart(f"the data of the DFKI suite is missing. {Dfki.card.how_to_get}")
    return load_items(_find(folder, f"items.{langpair}.json")), load_outputs(_find(folder, f"outputs.{langpair}.tsv"))


def _find(folder: Path, name: str) -> Path:
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    raise MissingPart(f"{folder} contains neither {name} nor {name}.gz. {Dfki.card.how_to_get}")
