"""Base class of LLM judges: fills the prompt for every translation, asks the model, and reads the answers.

The metric stores nothing itself. Each answer goes to the response cache that the engine opened (`assay.core.context`). If all
answers are cached, the scores are computed without any requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.context import report_progress, response_cache
from assay.core.errors import AssayError, InputError, Interrupted, MissingPart, OutputError, count
from assay.core.langpair import languages
from assay.core.metric import Card, Metric, Scores, Signature
from assay.data import rows
from assay.io.endpoint.address import address_of
from assay.io.endpoint.budget import BudgetReached, LlmBudget, money
from assay.io.endpoint.chat import ChatAnswer
from assay.io.endpoint.client import LlmClient
from assay.io.endpoint.settings import AskingStopped, Llm, current_llm
from assay.io.judgements.answers import without_thoughts
from assay.io.judgements.prompts import Prompt, filled
from assay.metrics.judges.estimate import RequestEstimate, estimated
from assay.metrics.judges.reading import UNREADABLE, JudgeReading, combine_samples, errors, rating

if TYPE_CHECKING:
    from assay.core.context import ResponseCache


VERSION = 3
"""Version of the answer parser. Version 1 parsed the model's thoughts as the answer; version 2 counted every line below a
heading as an error.
"""
STEP = 0.1
"""Temperature increase when a question is repeated after an unreadable answer, as in GEMBA."""


class PromptJudge(Metric):
    """Judge whose prompt is defined by a subclass."""

    def __init__(
        self, prompt: Prompt, card: Card, *, endpoint: str, model: str, temperature: float | None, samples: int,
        insist: int, max_tokens: int | None,
    ) -> None:  # fmt: skip
        if samples < 1 or insist < 0:
            raise InputError(f"{card.name}: samples must be at least 1, and insist at least 0.")
        if samples > 1 and temperature == 0:
            raise InputError(
                f"{card.name}: {samples} samples at temperature 0 would return the same answer {samples} times. Add "
                "temperature=0.7."
            )
        self.prompt, self.card, self.endpoint, self.model = prompt, card, endpoint, model
        self.temperature, self.samples, self.insist, self.max_tokens = temperature, samples, insist, max_tokens
        self.answered: set[str] = set()
        """Models that answered, under the names that the endpoint reports."""
        self._used: Llm | None = None
        self._spent = LlmBudget()
        self._said: dict[str, str] = {}

    @property
    def notices(self) -> Sequence[str]:  # type: ignore[override]
        """Notices about requests and their cost."""
        return list(self._said.values())

    @property
    def signature(self) -> Signature:
        """Signature with model, prompt, temperature and number of samples, and the models that the endpoint reported."""
        settings = self._used or current_llm() or Llm()
        return Signature.of(
            self.card.label, VERSION, prompt=f"{self.prompt.version}-{self.prompt.digest}", model=self._model(settings) or "none",
            answered="+".join(sorted(self.answered)) or "none", temp="none" if self.temperature is None else self.temperature,
            samples=self.samples, insist=self.insist, limit=self._limit(self.prompt.max_tokens) or "none",
        )  # fmt: skip

    @property
    def marks_spans(self) -> bool:
        """Whether the prompt asks for errors; this is known without sending a request."""
        return self.prompt.gives_spans

    def signed(self, nrefs: int) -> str:
        """Return the signature. The number of references is included only if the prompt shows a reference, which is always the
        first.
        """
        return super().signed(min(nrefs, 1) if self.card.needs_reference else 0)

    def score(self, batch: Batch) -> Scores:
        """Ask about every row, with several requests at a time."""
        asker = self._asker(response_cache())
        purse, rows = asker.settings.budget, list(self._texts(batch))
        at_first = replace(purse)
        before = self.estimate(batch, asker)
        readings: list[list[JudgeReading]] = [[UNREADABLE] * self.samples for _ in rows]
        problem: BaseException | None = None
        done = 0
        report_progress(self._progress(asker, before), 0, len(rows))
        with ThreadPoolExecutor(asker.settings.concurrency, thread_name_prefix="assay-ask") as pool:
            jobs = {
                pool.submit(self._judged, asker, texts, sample): (row, sample)
                for row, texts in enumerate(rows)
                for sample in range(self.samples)
            }
            try:
                for job in as_completed(jobs):
                    problem = _worse(problem, job)
                    if problem is not None:
                        asker.stop.set()
                        for other in jobs:
                            other.cancel()
                    if job.cancelled() or job.exception() is not None:
                        continue
                    row, sample = jobs[job]
                    readings[row][sample] = job.result()
                    done += 1
                    if 0 < done // self.samples < len(rows):
                        report_progress(self._progress(asker), done // self.samples, len(rows))
            except KeyboardInterrupt as stopped:
                problem = stopped
                asker.stop.set()
                for other in jobs:
                    other.cancel()
        asker.close()
        self._spent.add(purse, at_first)
        self._account(asker)
        report_progress(self._progress(asker), len(rows), len(rows))
        if problem is not None:
            raise self._explained(problem, done // self.samples, len(rows), asker) from None
        return self._scores(readings)

    def estimate(self, batch: Batch, asker: LlmClient | None = None) -> RequestEstimate:
        """Estimate the requests and tokens for these rows without any request."""
        asker = asker or self._asker(response_cache())

        def question(messages: list[dict[str, str]], limit: int | None) -> dict[str, object]:
            return asker.question(messages, self.temperature, self._limit(limit))

        rows = ((texts, sample) for texts in self._texts(batch) for sample in range(self.samples))
        return sum((estimated(self.prompt, question, asker.kept, *row) for row in rows), RequestEstimate())

    def cost(self, estimate: RequestEstimate) -> float | None:
        """Return the estimated cost, or None if the prices are unknown."""
        prices = (current_llm() or Llm()).budget.prices
        return None if prices is None else prices.cost(estimate.tokens_in, estimate.tokens_out)

    def _judged(self, asker: LlmClient, texts: dict[str, str], sample: int) -> JudgeReading:
        """Return one sample for one translation. After an unreadable answer, repeat the question at a higher temperature."""
        opening, first = JudgeReading(), self.prompt.first
        if first is not None:
            first_answer = self._ask(asker, filled(first.messages, texts), 0, sample, first.max_tokens)
            if (no := _no_answer(first_answer)) is not None:
                return no
            texts = {**texts, "first_answer": without_thoughts(first_answer.text)}
            if first.answer == "errors":
                opening = errors(texts["first_answer"], texts["translation"], texts["source"])
        messages = filled(self.prompt.messages, texts)
        reading = UNREADABLE
        for attempt in range(self.insist + 1):
            answer = self._ask(asker, messages, attempt, sample, self.prompt.max_tokens)
            reading = _no_answer(answer) or rating(
                self.prompt, without_thoughts(answer.text), texts["translation"], texts["source"]
            )
            if reading.scored or answer.finish not in ("stop", "length"):
                break
        return replace(reading, spans=reading.spans or opening.spans, flags=reading.flags | opening.flags)

    def _ask(
        self, asker: LlmClient, messages: list[dict[str, str]], attempt: int, sample: int, limit: int | None
    ) -> ChatAnswer:
        heat = self.temperature if self.temperature is None else round(min(self.temperature + STEP * attempt, 2.0), 3)
        number = sample if self.temperature is not None else sample + attempt * self.samples
        answer = asker.ask(asker.question(messages, heat, self._limit(limit)), number)
        self.answered.add(_plain(answer.model))
        return answer

    def _limit(self, own: int | None) -> int | None:
        return (own if self.max_tokens is None else self.max_tokens) or None

    def _model(self, settings: Llm) -> str:
        return self.model or settings.model

    def _asker(self, kept: ResponseCache | None) -> LlmClient:
        """Return the client. The metric's own options take precedence over those of the call and of the environment."""
        settings = self._used = current_llm() or self._used or Llm()
        address = address_of(self.endpoint or settings.endpoint, self.card.name)
        model = self._model(settings)
        if not model:
            raise MissingPart(
                f"{self.card.name} requires the name of a model at {address.server}: --llm NAME, "
                f"{self.card.name}:model=NAME or ASSAY_LLM_MODEL."
            )
        return LlmClient(address, model, settings, kept if settings.keep else None)

    def _texts(self, batch: Batch) -> Iterator[dict[str, str]]:
        """Yield the texts to insert into the prompt for each row."""
        reads = self.prompt.reads
        for row, hypothesis in enumerate(batch.hypotheses):
            pair = batch.langpairs[row] if batch.langpairs else ""
            texts = {"translation": hypothesis, "source": batch.sources[row] if batch.sources else "", "reference": ""}
            if "reference" in reads:
                references = (column[row] for column in batch.references or ())
                texts["reference"] = next((text for text in references if text is not None), "")
            pair_languages = languages(pair) if pair else []
            if reads & {"source_lang", "target_lang"} and len(pair_languages) < 2:
                raise InputError(
                    f"{self.card.name} names the languages in its prompt, but a segment has no language pair. Specify "
                    "--langpair, for example en-de."
                )
            if len(pair_languages) == 2:
                texts |= {
                    "source_lang": language_name(pair_languages[0]),
                    "target_lang": language_name(pair_languages[1]),
                }
            yield {name: text.encode("utf-8", "replace").decode() for name, text in texts.items()}

    def _scores(self, readings: list[list[JudgeReading]]) -> Scores:
        import numpy as np

        joined = [combine_samples(samples) for samples in readings]
        raised = sorted({flag for reading, _ in joined for flag in reading.flags})
        components = {}
        if self.samples > 1:
            components["spread"] = np.array([spread for _, spread in joined], dtype=np.float64)
            components["answered"] = np.array(
                [sum(s.scored for s in samples) for samples in readings], dtype=np.float64
            )
        return Scores(
            values=np.array([reading.value for reading, _ in joined], dtype=np.float64),
            components=components,
            spans=[reading.spans for reading, _ in joined] if self.prompt.gives_spans else None,
            flags={flag: np.array([flag in reading.flags for reading, _ in joined], dtype=bool) for flag in raised},
        )

    def _account(self, asker: LlmClient) -> None:
        """Record notices about the total cost of all batches, unless every answer came from the cache."""
        if self._spent.requests:
            self._said["cost"] = f"{self.card.name} asked {asker.address.server}: {self._spent.summary()}."
        if asker.cache is None and asker.asked:
            self._said["kept"] = (
                f"the answers to {self.card.name} were not cached: repeating the call asks and pays again."
            )

    def _progress(self, asker: LlmClient, before: RequestEstimate | None = None) -> str:
        if before is not None:
            cost = self.cost(before)
            price = "" if cost is None else f", {money(cost)}"
            return f"{self.card.name} (about {before.tokens_in + before.tokens_out:,} tokens{price})"
        return f"{self.card.name} ({asker.settings.budget.summary()})"

    def _explained(self, problem: BaseException, done: int, total: int, asker: LlmClient) -> AssayError:
        """Return a sentence that states what stopped the judge, how far it got, and which answers are stored."""
        cached = asker.cache is not None
        so_far = f"{done:,} of {count(total, 'segment')} judged"
        onward = "their answers are cached, and the same command resumes from there" if cached else "nothing was cached"
        if isinstance(problem, KeyboardInterrupt):
            return Interrupted(f"stopped at {so_far}; {onward}.")
        if isinstance(problem, BudgetReached):
            if not asker.asked + asker.found:
                return BudgetReached(f"{self.card.name} stopped: {problem}.")
            anew = ", with a new budget" if cached else ""
            return BudgetReached(f"{self.card.name} stopped: {problem}, {so_far}; {onward}{anew}.")
        if not isinstance(problem, AssayError):
            raise problem
        kind = OutputError if isinstance(problem, OutputError) else InputError
        sentence = str(problem) if str(problem).endswith((".", "?")) else f"{problem}."
        return kind(f"{sentence} {so_far.capitalize()}; {onward}." if done else sentence)


def _no_answer(answer: ChatAnswer) -> JudgeReading | None:
    """Return the result for a missing answer: a refusal, a truncated answer, or a prompt that exceeds the model's context."""
    flag = {"refused": "refused_answer", "length": "cut_answer", "too_long": "truncated"}.get(answer.finish)
    return JudgeReading(flags=frozenset({flag})) if flag else None


def _worse(before: BaseException | None, job: Future[JudgeReading]) -> BaseException | None:
    """Return the problem to report: the first one that is not merely a consequence of another."""
    if job.cancelled():
        return before
    problem = job.exception()
    if problem is None or (before is not None and isinstance(problem, AskingStopped)):
        return before
    return problem if before is None or isinstance(before, AskingStopped) else before


def _plain(model: str) -> str:
    """Return a model's name with only the characters that a signature allows."""
    return "".join(char if char.isalnum() or char in "-_./@" else "_" for char in model) or "unnamed"


@cache
def _names() -> dict[str, str]:
    return {row["code"]: row["name"] for row in rows("languages.csv")}


def language_name(code: str) -> str:
    """Return the English name of a language for a prompt, or its code if the name is unknown."""
    return _names().get(code, code)
