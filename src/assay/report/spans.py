"""Rendering of translations with marked error spans, for a terminal, a browser and programs."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.columns import Columns
from assay.core.spans import ErrorSpan, Side
from assay.report.page import head_of
from assay.report.rows import json_document, row_lines
from assay.report.text import display_width, visible

MARKS = {"neutral": "ⁿᵉᵘ", "minor": "ᵐⁱⁿ", "major": "ᵐᵃʲ", "critical": "ᶜʳⁱᵗ"}
SIDES: tuple[Side, ...] = ("target", "source")
Signatures = Callable[[], Mapping[str, str]]
"""The metrics' signatures by name; called after the last row."""
_COLOURS = {"neutral": "36", "minor": "33", "major": "35", "critical": "31"}


@dataclass(frozen=True, slots=True)
class SpanRow:
    """One segment with the errors that one metric marked."""

    system: str
    segment: int
    metric: str
    score: float
    text: str
    spans: Sequence[ErrorSpan]
    source: str | None = None

    def on(self, side: Side) -> list[ErrorSpan]:
        """Return the errors in one of the two texts."""
        return [span for span in self.spans if span.side == side]


def marked(text: str, spans: Iterable[ErrorSpan], *, colour: bool = False) -> str:
    """Return a text with marked errors: ``Der Vertrag wurde ⟦1979⟧ᶜʳⁱᵗ unterzeichnet.``"""

    def mark(inner: str, span: ErrorSpan) -> str:
        shown = f"⟦{visible(inner)}⟧{MARKS[span.severity]}"
        return f"\033[{_COLOURS[span.severity]}m{shown}\033[0m" if colour else shown

    return _weave(text, spans, mark, visible)


def _weave(text: str, spans: Iterable[ErrorSpan], mark: Any, plain: Any) -> str:
    parts, at = [], 0
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        start, end = max(span.start, at), max(span.end, at)
        parts += [plain(text[at:start]), mark(text[start:end], span)]
        at = end
    return "".join([*parts, plain(text[at:])])


def as_terminal(row: SpanRow, *, colour: bool = False) -> str:
    """Return system, segment, score and the marked translation.

    The lines below show the source if errors are marked there (omissions), the categories, and the confidence of each span.
    """
    score = "n/a" if math.isnan(row.score) else f"{row.score:.2f}"
    before = f" {visible(row.system)} {row.segment:>4} {score:>6}  "
    lines = [before + marked(row.text, row.on("target"), colour=colour)]
    below = (
        [f"source: {marked(row.source, row.on('source'), colour=colour)}"] if row.source and row.on("source") else []
    )
    named = [span for side in SIDES for span in row.on(side)]
    if any(span.category for span in named):
        below.append(" · ".join(visible(span.category or "error") for span in named))
    if confidences := [f"{span.confidence:.2f}" for span in named if span.confidence is not None]:
        below.append(f"confidence {' · '.join(confidences)}")
    indent = " " * display_width(before)
    return "\n".join([*lines, *(indent + line for line in below)]) + "\n"


def as_json(parts: Iterable[Columns], scores: Collection[str], signatures: Signatures) -> Iterator[str]:
    """Yield ``{"segments": [ROW, ...], "signatures": {METRIC: ...}}``; the rows are the same as in JSON Lines.

    The signatures come last: the number of references is known after all segments were read.
    """

    def tail() -> str:
        return f',\n"signatures": {json.dumps(dict(signatures()), ensure_ascii=False)}}}'

    return json_document(row_lines(parts, scores), '{"segments": ', tail)


_BACKGROUNDS = {"neutral": "#0af3", "minor": "#fc06", "major": "#f706", "critical": "#f336"}
_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.7 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}
.row{display:grid;grid-template-columns:4rem 1fr;gap:.8rem;padding:.3rem 0;border-bottom:1px solid #8884}
.row::before{content:attr(title);grid-column:1/-1;color:#777;font-size:.75em;line-height:1}
.score{text-align:right;font-variant-numeric:tabular-nums;color:#777}
mark{border-radius:.2em;padding:0 .15em;color:inherit}
mark sup{font-size:.65em;margin-left:.15em}
.note{color:#777;font-size:.9em}
""" + "".join(f".{severity}{{background:{colour}}}" for severity, colour in _BACKGROUNDS.items())


def as_html(rows: Iterable[SpanRow], signatures: Signatures, title: str = "Error spans") -> Iterator[str]:
    """Yield a self-contained page in parts. Every mark has its severity as text, not only as a colour."""
    head = head_of(title, _STYLE)
    for row in rows:
        yield head + _line(row)
        head = ""
    notes = "".join(f'<p class="note">{html.escape(signature)}</p>' for signature in signatures().values())
    yield f"{head}{notes}</body></html>\n"


def fragment(rows: Iterable[SpanRow]) -> str:
    """Return marked segments for a notebook, with inline styles."""
    lines = "".join(map(_line, rows))
    for severity, colour in _BACKGROUNDS.items():
        lines = lines.replace(f'class="{severity}"', f'style="background:{colour};color:inherit"')
    return f'<div style="line-height:1.7">{lines}</div>'


def _line(row: SpanRow) -> str:
    score = "n/a" if math.isnan(row.score) else f"{row.score:.2f}"
    tip = html.escape(f"{row.metric} · {row.system} · segment {row.segment}")
    text = f'<div dir="auto">{_weave(row.text, row.on("target"), _html_mark, html.escape)}</div>'
    if row.source and (missing := row.on("source")):
        text = f'<div>{text}<div class="note" dir="auto">{_weave(row.source, missing, _html_mark, html.escape)}</div></div>'
    return f'<div class="row" title="{tip}"><div class="score">{score}</div>{text}</div>\n'


def _html_mark(inner: str, span: ErrorSpan) -> str:
    sure = "" if span.confidence is None else f", confidence {span.confidence:.2f}"
    what = f"{span.severity} {span.category}".strip()
    tip = html.escape(f"{what}{sure}")
    return f'<mark class="{span.severity}" title="{tip}">{html.escape(inner)}<sup>{span.severity}</sup></mark>'
