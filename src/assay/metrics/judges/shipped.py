"""Judges whose prompts come with assay, in our own wording (``assay/data/prompts``): they need an endpoint and nothing else."""

from __future__ import annotations

from assay.core.metric import Card
from assay.core.spec import Word
from assay.io.judgements.prompts import built_in
from assay.metrics.judges.judge import PromptJudge
from assay.metrics.judges.own import card_of


def _card(name: str, label: str, low: float | None, high: float, meaning: str, citation: str = "") -> Card:
    return Card(
        name, label, "source", True, (low, high), meaning, licence="Apache-2.0 (the prompt; the model has its own)",
        citation=citation, stored=False, decimals=2, kind="judge", service="an OpenAI-compatible endpoint",
    )  # fmt: skip


class _ShippedJudge(PromptJudge):
    """A judge with a prompt that sees the source alone, and one that sees a reference too."""

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
    """Points from 0 to 100."""

    card = _card("judge-da", "judge-DA", 0, 100, "A language model's points from 0 to 100.")


class JudgeMqm(_ShippedJudge):
    """Errors named by the model, and points off for them."""

    card = _card(
        "judge-mqm",
        "judge-MQM",
        -25,
        0,
        "Errors that a language model names: 25, 5 or 1 points off for each, 25 at most.",
    )


class AutoMqm(_ShippedJudge):
    """Errors named by the model: 5 points off for a major, 1 for a minor one."""

    card = _card(
        "automqm",
        "AutoMQM",
        None,
        0,
        "Errors that a language model names: 5 or 1 points off for each.",
        "Fernandes et al. 2023, The Devil Is in the Errors",
    )
