"""What DEMETR's paper says about its 35 perturbations (Karpinska et al. 2022, Tables 1 and A3)."""

from __future__ import annotations

from typing import NamedTuple


class Perturbation(NamedTuple):
    """The paper's short description, and the severity under which Table 4 counts it."""

    label: str
    severity: str


PERTURBATIONS: dict[int, Perturbation] = {
    1: Perturbation("word repeated twice", "minor"),
    2: Perturbation("word repeated four times", "minor"),
    3: Perturbation("too general word", "major"),
    4: Perturbation("untranslated word", "critical"),
    5: Perturbation("omitted prepositional phrase", "major"),
    6: Perturbation("incorrect word added", "critical"),
    7: Perturbation("change to antonym", "critical"),
    8: Perturbation("change to negation", "critical"),
    9: Perturbation("replaced named entity", "critical"),
    10: Perturbation("incorrect number", "critical"),
    11: Perturbation("incorrect gender pronoun", "critical"),
    12: Perturbation("omitted conjunction", "minor"),
    13: Perturbation("part of speech shift", "minor"),
    14: Perturbation("switched word order", "minor"),
    15: Perturbation("incorrect case of pronoun", "minor"),
    16: Perturbation("incorrect preposition or article", "minor"),
    17: Perturbation("incorrect tense", "major"),
    18: Perturbation("incorrect aspect", "major"),
    19: Perturbation("change to interrogative", "major"),
    20: Perturbation("omitted adjective or adverb", "critical"),
    21: Perturbation("omitted content verb", "critical"),
    22: Perturbation("omitted noun", "critical"),
    23: Perturbation("omitted subject", "critical"),
    24: Perturbation("omitted named entity", "critical"),
    25: Perturbation("misspelled word", "minor"),
    26: Perturbation("deleted character", "minor"),
    27: Perturbation("omitted final punctuation", "minor"),
    28: Perturbation("added punctuation", "minor"),
    29: Perturbation("tokenized sentence", "minor"),
    30: Perturbation("lowercased sentence", "minor"),
    31: Perturbation("first word lowercased", "minor"),
    32: Perturbation("empty string", "base"),
    33: Perturbation("unrelated translation", "base"),
    34: Perturbation("shuffled words", "critical"),
    35: Perturbation("reference as translation", "base"),
}
EMPTY = 32
"""The perturbation whose text is empty (a full stop): what sensitivity is measured against."""
REFERENCE = 35
"""The identity baseline: its "perturbed" text is the reference, so a good metric prefers it."""
SEVERITIES = ("critical", "major", "minor", "base")
