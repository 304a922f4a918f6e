"""Rule-based checks of translations: one module per family, each registered here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from assay.core.batch import Batch
from assay.core.errors import InputError, unknown
from assay.core.langpair import languages
from assay.linting.completeness import COMPLETENESS, check_completeness
from assay.linting.encoding import ENCODING, check_encoding
from assay.linting.finding import Description, Finding, Texts
from assay.linting.language import LANGUAGE, UNTRANSLATED, check_language, check_untranslated
from assay.linting.llm_artefacts import LLM_ARTEFACTS, check_llm_artefacts
from assay.linting.numbers import DATES, NUMBERS, check_dates, check_numbers
from assay.linting.placeholders import PLACEHOLDERS, check_placeholders
from assay.linting.repetition import REPETITION, check_repetition

Check = Callable[[Texts], Iterator[Finding]]

CHECKS: Mapping[str, tuple[Description, Check]] = {
    description.name: (description, check)
    for description, check in (
        (NUMBERS, check_numbers),
        (DATES, check_dates),
        (PLACEHOLDERS, check_placeholders),
        (UNTRANSLATED, check_untranslated),
        (LANGUAGE, check_language),
        (REPETITION, check_repetition),
        (LLM_ARTEFACTS, check_llm_artefacts),
        (COMPLETENESS, check_completeness),
        (ENCODING, check_encoding),
    )
}
"""All checks, in the order in which their findings are listed."""


def select_checks(select: Sequence[str] | None = None, ignore: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of the checks to run: the default ones or `select`, minus `ignore`."""
    for name in (*(select or ()), *ignore):
        if name not in CHECKS:
            raise InputError(unknown("check", name, CHECKS))
    chosen = select or [name for name, (description, _) in CHECKS.items() if description.default]
    names = tuple(name for name in CHECKS if name in chosen and name not in ignore)
    if not names:
        raise InputError("--select and --ignore exclude every check. Select at least one.")
    return names


def lint_texts(texts: Texts, checks: Sequence[str]) -> list[Finding]:
    """Return the named checks' findings in one translation."""
    findings: list[Finding] = []
    for name in checks:
        description, check = CHECKS[name]
        if texts.source or not description.needs_source:
            findings += check(texts)
    return findings


def lint_batch(batch: Batch, checks: Sequence[str]) -> Iterator[list[Finding]]:
    """Yield the findings of each row."""
    pairs: dict[str | None, tuple[str, str]] = {None: ("", "")}
    for row, translation in enumerate(batch.hypotheses):
        pair = batch.langpairs[row] if batch.langpairs is not None else None
        if pair not in pairs:
            codes = languages(pair or "")
            pairs[pair] = (codes[0], codes[-1]) if len(codes) > 1 else ("", codes[0] if codes else "")
        source = batch.sources[row] if batch.sources is not None else ""
        yield lint_texts(Texts(source or "", translation, *pairs[pair]), checks)
