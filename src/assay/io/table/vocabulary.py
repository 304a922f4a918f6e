"""Column name vocabulary: the spellings of each role, and the assignment of roles to a header's columns.

Case is ignored, and spaces, hyphens and underscores are interchangeable. Each spelling belongs to one role. A reader that
accepts several roles for the same content lists them in order of preference (`Wanted`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.core.errors import InputError, listing, unknown

ROLES: Mapping[str, tuple[str, ...]] = {
    "hypothesis": ("hypothesis", "mt", "translation", "hyp"),
    "target": ("target", "tgt"),  # the judged text in files of judgements; in other files it may be a reference
    "text": ("text",),
    "source": ("source", "src"),
    "source sentence": ("source text", "source sentence", "src sent"),
    "reference": ("reference", "ref"),
    "reference translation": ("reference translation", "ref sent"),
    "references": ("references", "refs"),
    "back": ("back translation", "back", "pseudo"),
    "good translation": ("good translation",),
    "good": ("good",),
    "correct": ("correct translation", "correct", "mt good", "good mt"),
    "good score": ("good score", "score good", "good translation score"),
    "incorrect translation": ("incorrect translation",),
    "incorrect": ("incorrect",),
    "wrong": ("bad translation", "bad", "wrong translation", "wrong", "mt bad"),
    "incorrect score": ("incorrect score", "score incorrect", "incorrect translation score"),
    "phenomenon": ("phenomena", "phenomenon"),
    "error type": ("error type",),
    "error": ("error",),
    "perturbation": ("perturbation",),
    "category": ("category", "error category"),
    "severity": ("severity", "error severity"),
    "langpair": ("langpair", "lp", "lang pair", "language pair", "langs"),
    "language": ("language", "lang", "test language"),
    "system": ("system", "sys"),
    "document": ("document", "doc"),
    "document id": ("doc id", "docsegid"),
    "id": ("id", "item id", "idx"),
    "segment id": ("seg id", "segid", "globalsegid", "line id"),
    "segment": ("segment",),
    "item": ("item", "itemid"),
    "example": ("example",),
    "part": ("part",),
    "task": ("task",),
    "split": ("split",),
    "outcome": ("outcome", "success", "label"),
    "controlled": ("controlled",),
    "type reviewed": ("type reviewed",),
    "rater": ("rater", "annotator", "user", "worker", "judge"),
    "spans": ("spans", "errors", "target errors", "error spans", "esa spans"),
    "starts": ("error start id", "error start indices", "start indices"),
    "ends": ("error end id", "error end indices", "end indices"),
    "severities": ("error types", "severities"),
    "answer": ("answer", "response", "completion"),
    "metric": ("metric",),
    "meta": ("meta",),
    "judgements": ("n",),
    "score": ("score",),
    "value": ("value", "values", "scores"),
    "raw": ("raw",),
    "raw score": ("raw score",),
    "z": ("z", "z score"),
    "z mean": ("z mean",),
    "mqm": ("mqm",),
    "da": ("da",),
    "esa": ("esa", "esa score"),
    "da sqm": ("da sqm",),
    "human": ("human", "human score"),
}
ColumnChoice = Mapping[str, str | int | Sequence[str | int]]
"""The user's choice of a column for a role: its name, its number in a table without a header, or several of them."""

HUMAN_SCORES = ("score", "raw", "z", "mqm", "da", "esa", "da sqm", "human")
"""The roles of columns with human judgements."""

_REFERENCE = re.compile(r"(?:reference|ref) ?([0-9]{0,6})")


@functools.lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Normalise a name to the vocabulary's spelling: ``Good-Translation`` and ``good_translation`` are ``good
    translation``."""
    return " ".join(name.strip().strip('"').lower().replace("-", " ").replace("_", " ").split())


def spellings(*roles: str) -> tuple[str, ...]:
    """Return every spelling of the roles, in order."""
    return tuple(spelling for role in roles for spelling in ROLES[role])


def spelled(names: Iterable[str], *roles: str) -> list[str]:
    """Return the names that have one of the roles, unchanged."""
    return [name for name in names if plain(name) in spellings(*roles)]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Roles that a reader looks for in a header. ``reference`` includes numbered references and reference lists (`Layout`)."""

    roles: Mapping[str, tuple[str, ...]]
    """The reader's name of a column, and the accepted roles, the best first."""
    required: tuple[str, ...] = ()
    missing: str = "{file} has no column {role}. It has {listing}. Choose one: --columns {pairs}."
    """The message about missing required columns."""
    once: Collection[str] = ()
    """Roles for which two columns are an error; for the others, the best spelling is taken."""
    several: Collection[str] = ()
    """Roles that accept several columns, one per system."""
    shared: bool = True
    """Whether a column chosen for one role also plays the role of its name."""

    def name_of(self, role: str) -> str | None:
        """Return the reader's name for a role that the user typed."""
        text = plain(role)
        names = (name for name, roles in self.roles.items() if text == plain(name) or text in spellings(*roles))
        return next(names, None)


@dataclass(frozen=True, slots=True)
class Layout:
    """Column positions in a header, by the reader's names."""

    places: Mapping[str, int]
    references: tuple[int, ...] = ()
    """Columns with one reference each, in the order of their numbers (``ref``, ``ref2`` …)."""
    references_list: int | None = None
    """A column with a list of references in each row."""
    several: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Roles with several columns; `places` has the first of them."""

    @property
    def has_reference(self) -> bool:
        """Return whether there is a reference column of either kind."""
        return bool(self.references) or self.references_list is not None


def assign(names: Sequence[str], wanted: Wanted, chosen: ColumnChoice | None, file: str) -> Layout:
    """Assign roles to a header's columns: the user's choice first, then the vocabulary."""
    if not names:
        raise InputError(f"{file} is empty.")
    several = _chosen_columns(names, wanted, chosen or {}, file)
    places = {name: indices[0] for name, indices in several.items()}
    taken = set() if wanted.shared else set(places.values())
    header: dict[str, int] = {}
    for index, name in enumerate(names):
        if wanted.once and plain(name) in header and wanted.name_of(name):
            raise InputError(f"{file} has two columns named {name!r}. Rename one.")
        if index not in taken:
            header.setdefault(plain(name), index)
    for name, roles in wanted.roles.items():
        if name in places or name == "reference":
            continue
        for role in roles:
            hits = [header[spelling] for spelling in ROLES[role] if spelling in header]
            if len(hits) > 1 and name in wanted.once:
                shown = ", ".join(names[index] for index in hits)
                raise InputError(
                    f"{file} has {len(hits)} columns for the {name} ({shown}). Keep one, or rename the others."
                )
            if hits:
                places[name] = hits[0]
                break
    references, listed = _references(names, wanted, places, header, file)
    _refuse_twice(names, several, places, (*references, *([] if listed is None else [listed])), file)
    if missing := [name for name in wanted.required if name not in places and not (name == "reference" and references)]:
        raise InputError(_missing_message(missing, names, wanted, file))
    return Layout(places, references, listed, {name: indices for name, indices in several.items() if len(indices) > 1})


def _refuse_twice(
    names: Sequence[str],
    chosen: Mapping[str, tuple[int, ...]],
    places: Mapping[str, int],
    references: Sequence[int],
    file: str,
) -> None:
    """Reject a column chosen for the translations if its name marks it as a reference or the source."""
    others = {**dict.fromkeys(references, "reference")}
    if "source" in places:
        others[places["source"]] = "source"
    for index in chosen.get("hypothesis", ()):
        if index in others:
            role = others[index]
            raise InputError(
                f"--columns chooses {names[index]!r} of {file} as the translations, but its name identifies it as the "
                f"{role}. Choose another column for one of them ({'ref' if role == 'reference' else 'src'}=COLUMN)."
            )


TEXT_ROLES = ("hypothesis", "source", "reference", "references")
"""Roles of which no two can share a column."""


def columns_chosen(chosen: ColumnChoice) -> dict[str, list[str]]:
    """Return the names of the columns that the user chose for each role."""
    return {role: [str(one) for one in ([of] if isinstance(of, str | int) else of)] for role, of in chosen.items()}


def one_each(chosen: ColumnChoice) -> dict[str, str]:
    """Return the column for each role, for a reader that accepts one per role."""
    for role, columns in columns_chosen(chosen).items():
        if len(columns) != 1:
            raise _several_error(role, columns)
    return {role: columns[0] for role, columns in columns_chosen(chosen).items()}


def _several_error(role: str, columns: Sequence[str]) -> InputError:
    return InputError(f"--columns gives {role} {len(columns)} columns ({listing(columns)}). Specify only one.")


def _chosen_columns(
    names: Sequence[str], wanted: Wanted, chosen: ColumnChoice, file: str
) -> dict[str, tuple[int, ...]]:
    lowered = [name.lower() for name in names]
    places: dict[str, tuple[int, ...]] = {}
    for role, columns in columns_chosen(chosen).items():
        name = wanted.name_of(role)
        if name is None:
            raise unknown("role of a column", role, wanted.roles)
        if len(columns) != 1 and name not in wanted.several:
            raise _several_error(role, columns)
        indices = []
        for column in columns:
            if column not in names and column.strip().lower() not in lowered:
                raise unknown(f"column in {file}", column, names)
            indices.append(names.index(column) if column in names else lowered.index(column.strip().lower()))
        places[name] = tuple(dict.fromkeys(indices))
    roles: dict[int, str] = {}
    for role, at in ((role, at) for role, columns in places.items() if role in TEXT_ROLES for at in columns):
        if at in roles:
            raise InputError(
                f"--columns chooses {names[at]!r} of {file} as {roles[at]} and as {role}. Choose two different columns."
            )
        roles[at] = role
    return places


def _references(
    names: Sequence[str], wanted: Wanted, places: dict[str, int], header: Mapping[str, int], file: str
) -> tuple[tuple[int, ...], int | None]:
    """Return the reference columns by number (one without a number comes first), or the column with reference lists."""
    if "reference" not in wanted.roles:
        return (), None
    numbered: dict[int, int] = {}
    for text, index in sorted(header.items(), key=lambda entry: entry[0] == "ref"):
        if match := _REFERENCE.fullmatch(text):
            number = int(match[1] or 1)
            if number in numbered and "reference" in wanted.once:
                pair = ", ".join(names[at] for at in sorted((numbered[number], index)))
                raise InputError(f"{file} has two columns for reference {number} ({pair}). Rename one.")
            numbered.setdefault(number, index)
    references = tuple(numbered[number] for number in sorted(numbered))
    others = [header[text] for text in spellings(*wanted.roles["reference"]) if text in header]
    references = (places.pop("reference"),) if "reference" in places else references or tuple(others[:1])
    listed = places.pop("references", next((header[text] for text in ROLES["references"] if text in header), None))
    if references and listed is not None:
        if "references" in wanted.once:
            raise InputError(
                f"{file} has references in {names[listed]!r} and in {names[references[0]]!r}. Keep one of them."
            )
        listed = None
    return references, listed


def _missing_message(missing: Sequence[str], names: Sequence[str], wanted: Wanted, file: str) -> str:
    options = spellings(*wanted.roles[missing[0]])
    return wanted.missing.format(
        file=file,
        role=missing[0],
        roles=" and ".join(f"{name} translation" for name in missing),
        names=listing(missing),
        pairs=",".join(f"{name}=COLUMN" for name in missing),
        quoted=listing(map(repr, names)),
        listing=listing(names),
        options=" or ".join(options),
        commas=f"{', '.join(options[:-1])} or {options[-1]}",
    )
