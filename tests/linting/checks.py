"""A short way to run one check in the tests."""

from __future__ import annotations

from assay.linting import CHECKS
from assay.linting.finding import Finding, Texts


def run_check(name: str, source: str, translation: str, langpair: str = "en-de") -> list[Finding]:
    src, _, tgt = langpair.partition("-")
    findings = list(CHECKS[name][1](Texts(source, translation, src, tgt)))
    assert all(0 <= finding.start <= finding.end <= len(translation) for finding in findings)
    return findings


def marked(name: str, source: str, translation: str, langpair: str = "en-de") -> list[str]:
    return [translation[f.start : f.end] for f in run_check(name, source, translation, langpair)]
