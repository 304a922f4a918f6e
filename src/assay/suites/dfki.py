"""The DFKI test suite (Macketanz et al. 2022): sentences that each test one phenomenon, and what systems made of them.

The suite ships sentences with rules, not translations of known quality. `dfki_judge` applies the rules to the outputs of
WMT systems, `dfki_build` makes contrastive items out of the judged outputs (Avramidis et al. 2023, section 3), and `Dfki`
does both when it is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.core.errors import InputError, MissingPart, count
from assay.core.item import Item
from assay.core.schema import Place, typed
from assay.core.suite import Suite, SuiteCard
from assay.io.documents import read_document
from assay.io.files.text import read_text

LangPair = Literal["de-en", "en-de", "en-ru"]
"""The directions of Avramidis et al. 2023. The items of en-ru are not public: they are read where a user has them."""
PUBLIC: tuple[LangPair, ...] = ("de-en", "en-de")


@dataclass(frozen=True, slots=True)
class DfkiItem:
    """One sentence of the test suite with the rules that tell right translations from wrong ones.

    A regex is searched in the translation, a token is a whole sentence that the translation must equal; either may be
    missing. Ids run separately in each direction.
    """

    id: str
    langpair: str
    category: str
    phenomenon: str
    source: str
    positive_regex: str = ""
    negative_regex: str = ""
    positive_tokens: tuple[str, ...] = ()
    negative_tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outputs:
    """What systems answered, as columns: item id, year of the shared task, system, translation."""

    ids: Sequence[str]
    years: Sequence[str]
    systems: Sequence[str]
    texts: Sequence[str]

    def __len__(self) -> int:
        return len(self.ids)


def load_items(path: Path) -> list[DfkiItem]:
    """The items of one upstream file (``{"items": [...]}``, gzipped or not)."""
    said = 'is not a DFKI item file (JSON, {"items": [...]})'
    read = read_document(path, said=said)
    if not isinstance(read, dict) or not isinstance(read.get("items"), list):
        raise InputError(f"{path} {said}: there is no list 'items'.")
    items = [_item(row, path, number) for number, row in enumerate(read["items"], 1)]
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise InputError(f"{path}: item {item.id} occurs twice; ids must be distinct within a file.")
        seen.add(item.id)
    return items


@dataclass(frozen=True, slots=True)
class _Written:
    """An item as the file has it; other fields are passed over."""

    id: str
    langpair: str
    category: str
    phenomenon: str
    source_sentence: str
    positive_regex: str | None = None
    negative_regex: str | None = None
    positive_tokens: tuple[str, ...] | None = None
    negative_tokens: tuple[str, ...] | None = None


def _item(row: Any, path: Path, number: int) -> DfkiItem:
    if isinstance(row, dict) and (lacking := [name for name in _FIELDS if name not in row]):
        raise InputError(f"{path}: item {number} lacks the field {lacking[0]!r}.")
    read = typed(_Written, row, Place(f"{path}", f"items[{number}]"), strict=False)
    return DfkiItem(
        id=read.id,
        langpair=f"{read.langpair[:2]}-{read.langpair[-2:]}",
        category=read.category,
        phenomenon=read.phenomenon,
        source=read.source_sentence,
        positive_regex=read.positive_regex or "",
        negative_regex=read.negative_regex or "",
        positive_tokens=read.positive_tokens or (),
        negative_tokens=read.negative_tokens or (),
    )


_FIELDS = ("id", "langpair", "category", "phenomenon", "source_sentence")
COLUMNS = ("id", "year", "system", "output")


def load_outputs(path: Path) -> Outputs:
    """The outputs of one tab-separated file with a header; quotes are characters like any other."""
    header, *lines = _text(path).split("\n")
    names = tuple(header.removesuffix("\r").split("\t"))
    if names != COLUMNS:
        raise InputError(f"{path}, line 1: the columns must be {', '.join(COLUMNS)}, not {', '.join(names)}.")
    columns: tuple[list[str], ...] = ([], [], [], [])
    for number, line in enumerate(lines, 2):
        if not line and number == len(lines) + 1:
            break
        fields = line.removesuffix("\r").split("\t")
        if len(fields) != len(COLUMNS):
            raise InputError(f"{path}, line {number}: {len(fields)} columns instead of {len(COLUMNS)}.")
        for column, field in zip(columns, fields, strict=True):
            column.append(field)
    return Outputs(*columns)


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except InputError as error:
        raise InputError(f"cannot read {path}: it {str(error).removeprefix(f'{path} ')}") from error


class Dfki(Suite):
    """Contrastive items built from judged WMT21-23 outputs; the same options always give the same items."""

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
        checksums={
            "items.de-en.json.gz": "dd67afdaa4f841e20af4da72d51c4ab1acc3071a0479067de253779c5e46a556",
            "items.en-de.json.gz": "38686a15b7fcfb103d36907e77fdec9912c5264202b86ddc5daa401602564aeb",
            "outputs.de-en.tsv.gz": "34968ee56e6b07f024b25327d0ba6ed4b31f2878d759a435de02632dd599d9b3",
            "outputs.en-de.tsv.gz": "c0c981f9f81afeae643f98701e98813cbd00fc3c24bc6e0a3d2c582419d850f7",
        },
    )

    def __init__(
        self, *, langpair: LangPair = "de-en", n: int | None = None, seed: int = 12345, decisions: str | None = None
    ) -> None:
        self.langpair, self.n, self.seed, self.decisions = langpair, n, seed, decisions
        self.notes: list[str] = []

    def load(self, folder: Path | None) -> list[Item]:
        """Read items and outputs, judge them by rules and by the decisions people made, and build `n` items."""
        from assay.io.judgements.decisions import latest
        from assay.suites.dfki_build import PAPER, build
        from assay.suites.dfki_judge import judge

        items, outputs = read_folder(folder, self.langpair)
        decisions = latest(Path(self.decisions)) if self.decisions else {}
        built = build(items, judge(items, outputs, decisions), self.n, self.seed)
        if self.n is None and len(built) < PAPER:
            self.notes = [f"{count(len(built), 'item')}: all that the judged {self.langpair} outputs give"]
        return built


def read_folder(folder: Path | None, langpair: LangPair) -> tuple[list[DfkiItem], Outputs]:
    """Items and outputs of one direction, from a folder that has both files."""
    if folder is None:
        raise MissingPart(f"the DFKI suite is not here. {Dfki.card.how_to_get}")
    return load_items(_find(folder, f"items.{langpair}.json")), load_outputs(_find(folder, f"outputs.{langpair}.tsv"))


def _find(folder: Path, name: str) -> Path:
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    raise MissingPart(f"{folder} has neither {name} nor {name}.gz. {Dfki.card.how_to_get}")
