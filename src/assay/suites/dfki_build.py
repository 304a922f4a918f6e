"""The builder of the DFKI challenge set (Avramidis et al. 2023, section 3.2).

A challenge item is one right translation as the reference, another right one as the good candidate and a wrong one as the
incorrect candidate, all of the same sentence. The paper takes random combinations and does not say how many of a sentence.
Here every sentence that has two right translations and a wrong one gives one combination, then a second, and so on, until
`n` are reached or its combinations are used up: no sentence is left out, and none outweighs the others more than it must.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.errors import InputError
from assay.core.item import Item
from assay.io.judgements.decisions import fold
from assay.suites.dfki import DfkiItem
from assay.suites.dfki_judge import JudgedOutputs

if TYPE_CHECKING:
    import numpy as np

Pool = tuple[list[str], list[str]]
"""The distinct right and the distinct wrong translations of one sentence."""


PAPER = 10_000
"""Items of the paper's set."""


def build(items: Sequence[DfkiItem], judged: JudgedOutputs, n: int | None = None, seed: int = 12345) -> list[Item]:
    """`n` challenge items, no combination twice; they depend on `seed` and the texts, not on the order of the outputs.

    Without `n` they are the paper's 10,000, or all that the outputs give if these are fewer.
    Texts that differ in blanks alone are the same text. The sentences that occur under two phenomena give items for both.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    found = pools(judged)
    usable = [(item, found[item.id]) for item in items if item.id in found and combinations(found[item.id])]
    available = [combinations(pool) for _, pool in usable]
    quotas = _quotas(available, min(PAPER, sum(available)) if n is None else n, judged.langpair, rng)
    built = []
    for (item, pool), quota in zip(usable, quotas, strict=True):
        drawn = rng.choice(combinations(pool), size=quota, replace=False)
        built += [_challenge(item, pool, int(index), number) for number, index in enumerate(drawn, 1)]
    return built


def pools(judged: JudgedOutputs) -> dict[str, Pool]:
    """Item id to its right and wrong translations, sorted; a text that was judged both ways is left out."""
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
    """How many challenge items a pool can give: ordered pairs of right translations, times the wrong ones."""
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
    """How many items each sentence gives: all the same number as far as they have it, the remainder drawn by lot."""
    if not available:
        raise InputError(
            f"no DFKI items can be built: no sentence of the judged {langpair} outputs has two right translations and a wrong one."
        )
    if not 1 <= n <= sum(available):
        raise InputError(
            f"n={n:,} DFKI items cannot be built: the judged {langpair} outputs give from 1 to {sum(available):,}."
        )
    level = 0
    while level < max(available) and sum(min(have, level + 1) for have in available) <= n:
        level += 1
    quotas = [min(have, level) for have in available]
    more = [i for i, have in enumerate(available) if have > level]
    for i in rng.choice(len(more), size=n - sum(quotas), replace=False) if more else ():
        quotas[more[int(i)]] += 1
    return quotas
