"""LLM judges with bundled prompts (``assay/data/prompts``), and the judge for a user's prompt file.

Both need only an endpoint. The card of a judge is derived from its prompt.
"""

from __future__ import annotations

from dataclasses import replace

from assay.core.errors import MissingPart
from assay.core.metric import Card, Needs
from assay.core.spec import Word
from assay.io.judgements.prompts import Prompt, built_in, from_file
from assay.metrics.judges.judge import PromptJudge


class Judge(PromptJudge):
    """Judge with a user's prompt file: ``judge:prompt=my_prompt.toml``."""

    card = Card(
        "judge", "judge", "source", True, (None, None), "A language model's rating with your own prompt.", stored=False,
        decimals=1, kind="judge", licence="the model's", service="an OpenAI-compatible endpoint",
    )  # fmt: skip

    def __init__(
        self, *, prompt: str = "", endpoint: str = "", model: Word = "", temperature: float | None = 0.0,
        samples: int = 1, insist: int = 3, max_tokens: int | None = None,
    ) -> None:  # fmt: skip
        if not prompt:
            raise MissingPart("judge requires a prompt file: judge:prompt=FILE.toml (docs/judges.md).")
        read = from_file(prompt)
        super().__init__(
            read, card_of(read, self.card), endpoint=endpoint, model=model, temperature=temperature, samples=samples,
            insist=insist, max_tokens=max_tokens,
        )  # fmt: skip


def card_of(prompt: Prompt, like: Card) -> Card:
    """Return the card of a judge with this prompt; the prompt determines which texts the judge needs."""
    needs_by_texts: dict[tuple[bool, bool], Needs] = {
        (True, True): "both",
        (True, False): "source",
        (False, True): "reference",
        (False, False): "translation",
    }
    needs = needs_by_texts["source" in prompt.reads, "reference" in prompt.reads]
    high = prompt.high if prompt.answer != "classes" else len(prompt.classes) - 1
    low = 0 if prompt.answer == "classes" else prompt.low
    return replace(
        like, name=prompt.name, label=prompt.label or prompt.name, needs=needs, range=(low, high),
        meaning=prompt.about or like.meaning, citation=prompt.citation or like.citation,
    )  # fmt: skip


def _card(name: str, label: str, low: float | None, high: float, meaning: str, citation: str = "") -> Card:
    return Card(
        name, label, "source", True, (low, high), meaning, licence="Apache-2.0 (the prompt; the model has its own)",
        citation=citation, stored=False, decimals=2, kind="judge", service="an OpenAI-compatible endpoint",
    )  # fmt: skip


class _ShippedJudge(PromptJudge):
    """Judge with two prompts: one with the source alone, one with a reference."""

    def __init__(
        self, *, reference: bool = False, endpoint: str = "", model: Word = "", temperature: float | None = 0.0,
        samples: int = 1, insist: int = 3, max_tokens: int | None = None,
    ) -> None:  # fmt: skip
        prompt = built_in(f"{self.card.name}-ref" if reference else self.card.name)
        card = card_of(prompt, self.card) if reference else self.card
        super().__init__(
            prompt, card, endpoint=endpoint, model=model, temperature=temperature, samples=samples, insist=insist,
            max_tokens=max_tokens,
        )  # fmt: skip


class JudgeDa(_ShippedJudge):
    """Score from 0 to 100."""

    card = _card("judge-da", "judge-DA", 0, 100, "A language model's points from 0 to 100.")


class JudgeMqm(_ShippedJudge):
    """Penalty for errors that the model names."""

    card = _card(
        "judge-mqm",
        "judge-MQM",
        -25,
        0,
        "Errors that a language model names: 25, 5 or 1 points off for each, 25 at most.",
    )


class AutoMqm(_ShippedJudge):
    """Penalty for errors that the model names: 5 points for a major error, 1 for a minor one."""

    card = _card(
        "automqm",
        "AutoMQM",
        None,
        0,
        "Errors that a language model names: 5 or 1 points off for each.",
        "Fernandes et al. 2023, The Devil Is in the Errors",
    )
