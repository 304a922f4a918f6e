"""Reader for human evaluation campaigns from a year, a tree or a file, and their translations as a batch."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.batch import Batch
from assay.core.errors import InputError, listing, unknown
from assay.io.judgements.campaign import read_campaign
from assay.io.wmt.tree import campaign_of
from assay.suites.wmt import pair_facts, read_pairs, years
from assay.verbs.shared.named_sets import default_pairs, find_set

if TYPE_CHECKING:
    from assay.core.campaign import Campaign, Cell

PathName = str | os.PathLike[str]


def read_people(
    judgements: PathName,
    *,
    langpairs: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    skip_bad: bool = False,
    data_dir: PathName | None = None,
) -> Campaign:
    """Read judgements from a year, a tree or a file."""
    text, wanted = os.fspath(judgements), list(dict.fromkeys(langpairs or ()))
    path = Path(text)
    if text in years() or path.is_dir() or path.name.endswith((".tar.xz", ".tar.gz", ".tgz", ".tar.zst", ".tar")):
        return _tree(judgements, wanted, data_dir)
    if not path.exists():
        raise InputError(f"{path} is neither a file nor a test set ({', '.join(years())}).")
    campaign = read_campaign(path, langpair=wanted[0] if len(wanted) == 1 else "", columns=columns, skip_bad=skip_bad)
    for pair in wanted:
        if pair not in campaign.langpairs:
            raise unknown(f"language pair in {path.name}", pair, [name for name in campaign.langpairs if name])
    return campaign.of_langpairs(wanted) if wanted else campaign


def _tree(name: PathName, wanted: Sequence[str], data_dir: PathName | None) -> Campaign:
    """Read the ratings in a WMT tree; by default, for all language pairs that have ratings."""
    official, folder = find_set(name, data_dir)
    sets = read_pairs(folder, list(wanted) or default_pairs(official, folder))
    rated = {pair: evalset for pair, evalset in sets.items() if evalset.raters or pair in wanted}
    references = {pair: pair_facts(evalset, official).standard_reference for pair, evalset in rated.items()}
    label = official.name if official is not None else Path(name).name
    campaign = campaign_of(list(rated.values()) or list(sets.values()), references, label)
    silent = [pair for pair in sets if pair not in rated]
    return replace(campaign, notes=[f"{pair} has no ratings by rater and is left out" for pair in silent])


def judged_batch(people: Campaign) -> tuple[list[Cell], Any]:
    """Return the judged translations as a batch, except those that serve as the reference."""
    cells = [cell for cell in people.judgements if (cell.langpair, cell.system) not in people.standard]
    texts = [people.texts[cell] for cell in cells]
    without = [str(cell) for cell, text in zip(cells, texts, strict=True) if text.text is None]
    if without:
        raise InputError(f"{people.name} has no translations to score ({listing(without, 3)}). Add an mt column.")
    sources = [text.source for text in texts]
    references = [text.reference for text in texts]
    batch = Batch(
        hypotheses=[text.text or "" for text in texts],
        sources=[text or "" for text in sources] if all(text is not None for text in sources) else None,
        references=(references,) if any(references) else None,
        langpairs=[cell.langpair for cell in cells] if all(cell.langpair for cell in cells) else None,
        systems=[cell.system for cell in cells],
    )
    return cells, batch
