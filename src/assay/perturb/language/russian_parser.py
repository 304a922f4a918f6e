"""Russian parser: slovnet's morphology, dependencies and names, with weights from the package natasha.

natasha itself is not imported: it would load an older dictionary that recent Python versions cannot read.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assay.perturb.language.sentence import Entity, Sentence

_LABELS = {"PER": "PERSON", "LOC": "LOC", "ORG": "ORG"}


class RussianParser:
    """Parser with the interface of a spaCy model: a call parses one text, `pipe` several; the result is a `Sentence`."""

    def __init__(self) -> None:
        from navec import Navec
        from slovnet import NER, Morph, Syntax

        spec = importlib.util.find_spec("natasha")
        assert spec is not None and spec.submodule_search_locations
        data = Path(spec.submodule_search_locations[0]) / "data"
        vectors = Navec.load(next((data / "emb").glob("navec_*.tar")))
        self._morph, self._syntax, self._names = (
            kind.load(next((data / "model").glob(f"slovnet_{name}_*.tar")))
            for kind, name in ((Morph, "morph"), (Syntax, "syntax"), (NER, "ner"))
        )
        for model in (self._morph, self._syntax, self._names):
            model.navec(vectors)

    def __call__(self, text: str) -> Sentence:
        """Return the parsed text. Each sentence is parsed alone, so no other text can change its parse."""
        from razdel import sentenize, tokenize

        columns = _Lists(text)
        for sentence in sentenize(text):
            tokens = list(tokenize(sentence.text))
            if not tokens:
                continue
            words = [token.text for token in tokens]
            columns.add(
                [sentence.start + token.start for token in tokens],
                next(iter(self._morph.map([words]))).tokens,
                next(iter(self._syntax.map([words]))).tokens,
            )
        return columns.sentence(self._names(text).spans if columns.words else ())

    def pipe(self, texts: Iterable[str], batch_size: int = 0) -> Iterator[Sentence]:
        """Parse texts one by one: slovnet gains little from batches, and a batch could change a parse."""
        return map(self, texts)


class _Lists:
    """Columns of a `Sentence`, filled sentence by sentence."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[str] = []
        self.starts: list[int] = []
        self.pos: list[str] = []
        self.deps: list[str] = []
        self.heads: list[int] = []
        self.feats: list[dict[str, str]] = []
        self.firsts: list[int] = []
        self.sound = True

    def add(self, starts: list[int], tagged: Any, parsed: Any) -> None:
        """Add the tokens of one sentence; heads count from one, and the root's is zero."""
        shift = len(self.words)
        self.firsts.append(shift)
        self.starts += starts
        heads = [int(token.head_id) for token in parsed]
        for i, (tag, head, token) in enumerate(zip(tagged, heads, parsed, strict=True)):
            self.words.append(tag.text)
            self.pos.append(tag.pos)
            self.feats.append(dict(tag.feats))
            looped = not _reaches_the_root(heads, i)
            self.sound &= not looped
            self.deps.append("dep" if looped else token.rel)
            self.heads.append(shift + (head - 1 if head and not looped else i))
        self.sound &= heads.count(0) == 1

    def sentence(self, spans: Any) -> Sentence:
        """Return the `Sentence`, with the names found in the text."""
        ends = [start + len(word) for start, word in zip(self.starts, self.words, strict=True)]
        entities = []
        for span in spans:
            inside = [i for i, start in enumerate(self.starts) if span.start <= start and ends[i] <= span.stop]
            if inside and (self.starts[inside[0]], ends[inside[-1]]) == (span.start, span.stop):
                entities.append(Entity(inside[0], inside[-1], _LABELS[span.type]))
        lower = [word.lower() for word in self.words]
        return Sentence(
            text=self.text,
            words=self.words,
            lower=lower,
            starts=self.starts,
            ends=ends,
            lemmas=lower,
            tags=self.pos,
            pos=self.pos,
            deps=self.deps,
            heads=self.heads,
            entities=entities,
            firsts=frozenset(self.firsts),
            feats=list(self.feats),
            sound=self.sound,
        )


def _reaches_the_root(heads: list[int], i: int) -> bool:
    """Return False if the chain of heads is a cycle."""
    for _ in heads:
        if heads[i] == 0:
            return True
        i = heads[i] - 1
    return False
