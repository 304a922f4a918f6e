"""GEMBA (Kocmi and Federmann 2023): LLM judges with the authors' prompts, which are downloaded (`assay.io.judgements.gemba`)."""

from __future__ import annotations

from assay.core.metric import Card
from assay.core.spec import Word
from assay.core.weights import WeightsNeeded
from assay.io.judgements.gemba import KILOBYTES, LICENCE, gemba_prompt
from assay.metrics.judges.judge import PromptJudge
from assay.metrics.judges.shipped import card_of

_DA = "Kocmi and Federmann 2023, Large Language Models Are State-of-the-Art Evaluators of Translation Quality"
_MQM = "Kocmi and Federmann 2023, GEMBA-MQM: Detecting Translation Quality Error Spans with GPT-4"
_WORDS = WeightsNeeded(KILOBYTES / 1e6, "assay fetch gemba", "assay.io.judgements.gemba:find_prompts", what="prompts")


def _card(name: str, label: str, low: float, high: float, meaning: str, citation: str) -> Card:
    return Card(
        name, label, "source", True, (low, high), meaning, licence=f"{LICENCE} (the prompt; the model has its own)",
        citation=citation, stored=False, decimals=2, kind="judge", weights=_WORDS, service="an OpenAI-compatible endpoint",
    )  # fmt: skip


class _GembaJudge(PromptJudge):
    """Judge with one prompt. `prompts` is a folder that contains GEMBA's prompts: a checkout or a downloaded copy."""

    def __init__(
        self, *, prompts: str = "", endpoint: str = "", model: Word = "", temperature: float | None = 0.0, samples: int = 1,
        insist: int = 3, max_tokens: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            gemba_prompt(self.card.name, prompts), self.card, endpoint=endpoint, model=model, temperature=temperature,
            samples=samples, insist=insist, max_tokens=max_tokens,
        )  # fmt: skip


class _GembaWithReference(PromptJudge):
    """Judge with two prompts: one with the source alone, one with a reference."""

    def __init__(
        self, *, reference: bool = False, prompts: str = "", endpoint: str = "", model: Word = "",
        temperature: float | None = 0.0, samples: int = 1, insist: int = 3, max_tokens: int | None = None,
    ) -> None:  # fmt: skip
        prompt = gemba_prompt(f"{self.card.name}-ref" if reference else self.card.name, prompts)
        card = card_of(prompt, self.card) if reference else self.card
        super().__init__(
            prompt, card, endpoint=endpoint, model=model, temperature=temperature, samples=samples, insist=insist,
            max_tokens=max_tokens,
        )  # fmt: skip


class GembaDa(_GembaWithReference):
    """Score from 0 to 100."""

    card = _card("gemba-da", "GEMBA-DA", 0, 100, "A language model's score from 0 to 100.", _DA)


class GembaSqm(_GembaWithReference):
    """Score from 0 to 100 on a scale with verbal anchors."""

    card = _card("gemba-sqm", "GEMBA-SQM", 0, 100, "A language model's score on a scale with verbal labels.", _DA)


class GembaStars(_GembaWithReference):
    """One to five stars."""

    card = _card("gemba-stars", "GEMBA-stars", 1, 5, "A language model's one to five stars.", _DA)


class GembaClasses(_GembaWithReference):
    """One of five classes."""

    card = _card(
        "gemba-classes", "GEMBA-classes", 0, 4, "A language model's choice among five classes, 0 the worst.", _DA
    )


class GembaMqm(_GembaJudge):
    """Penalty for errors that the model names."""

    card = _card(
        "gemba-mqm",
        "GEMBA-MQM",
        -25,
        0,
        "Errors that a language model names: 25, 5 or 1 points off for each of five.",
        _MQM,
    )


class GembaEsa(_GembaJudge):
    """Score from 0 to 100 after the model has named the errors."""

    card = _card("gemba-esa", "GEMBA-ESA", 0, 100, "A language model's score after it has named the errors.", _MQM)
