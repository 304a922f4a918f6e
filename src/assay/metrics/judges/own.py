"""Judges by prompt: a file of the user's own, and the card that follows from a prompt."""

from __future__ import annotations

from dataclasses import replace

from assay.core.errors import MissingPart
from assay.core.metric import Card, Needs
from assay.core.spec import Word
from assay.io.judgements.prompts import Prompt, from_file
from assay.metrics.judges.judge import PromptJudge


class Judge(PromptJudge):
    """A language model with a prompt of the user's own: ``judge:prompt=my_prompt.toml``."""

    card = Card(
        "judge", "judge", "source", True, (None, None), "A language model's rating by a prompt of your own.", stored=False,
        decimals=1, kind="judge", licence="the model's", service="an OpenAI-compatible endpoint",
    )  # fmt: skip

    def __init__(
        self, *, prompt: str = "", endpoint: str = "", model: Word = "", temperature: float | None = 0.0,
        samples: int = 1, insist: int = 3, max_tokens: int | None = None,
    ) -> None:  # fmt: skip
        if not prompt:
            raise MissingPart("judge needs a prompt of yours: judge:prompt=FILE.toml. (docs/judges.md)")
        read = from_file(prompt)
        super().__init__(
            read, card_of(read, self.card), endpoint=endpoint, model=model, temperature=temperature, samples=samples,
            insist=insist, max_tokens=max_tokens,
        )  # fmt: skip


def card_of(prompt: Prompt, like: Card) -> Card:
    """The card of a judge with this prompt: what it reads follows from the prompt."""
    shown: dict[tuple[bool, bool], Needs] = {
        (True, True): "both",
        (True, False): "source",
        (False, True): "reference",
        (False, False): "translation",
    }
    needs = shown["source" in prompt.reads, "reference" in prompt.reads]
    high = prompt.high if prompt.answer != "classes" else len(prompt.classes) - 1
    low = 0 if prompt.answer == "classes" else prompt.low
    return replace(
        like, name=prompt.name, label=prompt.label or prompt.name, needs=needs, range=(low, high),
        meaning=prompt.about or like.meaning, citation=prompt.citation or like.citation,
    )  # fmt: skip
