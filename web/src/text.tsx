import { Fragment } from "preact";
import type { ComponentChildren } from "preact";
import type { Piece } from "./diff";
import type { Span } from "./types";

const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
const NAMES: Record<string, string> = {
  "\u200b": "ZWSP", "\u200e": "LRM", "\u200f": "RLM", "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO",
  "\u202e": "RLO", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI", "\ufeff": "BOM",
};

// A text with invisible characters shown by name: a hidden bidi control could mislead the reader. Each name represents one
// character, which code that counts characters must take into account (data-sign).
export function shown(text: string): ComponentChildren {
  if (!INVISIBLE.test(text)) return text;
  return text.split(/([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff])/u).map((part, i) =>
    i % 2 === 0 ? part : (
      <bdi key={i} class="control" data-sign="">{NAMES[part] ?? `U+${part.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`}</bdi>
    ));
}

export function Plain({ text, lang }: { text: unknown; lang?: string }) {
  return <bdi class="text" dir="auto" lang={lang || undefined}>{shown(String(text ?? ""))}</bdi>;
}

export function Diffed({ pieces, lang, kind }: { pieces: Piece[]; lang?: string; kind: "added" | "removed" }) {
  return (
    <bdi class="text" dir="auto" lang={lang || undefined}>
      {pieces.map((piece, i) => {
        if (!piece.changed) return <Fragment key={i}>{shown(piece.text)}</Fragment>;
        return kind === "added" ? <ins key={i}>{shown(piece.text)}</ins> : <del key={i}>{shown(piece.text)}</del>;
      })}
    </bdi>
  );
}

// A translation with its errors marked. Offsets count characters, as in Python, not UTF-16 units. The abbreviated severity follows
// the word, because between joined letters (Arabic, Devanagari …) it would separate them.
export function Marked({ text, spans, lang }: { text: string; spans: Span[]; lang?: string }) {
  const signs = [...text];
  const parts: ComponentChildren[] = [];
  let labels: ComponentChildren[] = [];
  let at = 0;
  const plain = (to: number) => {
    let word = at;
    while (word < to && joins(signs[word - 1], signs[word])) word++;
    parts.push(shown(signs.slice(at, word).join("")));
    if (word < to || to === signs.length || !joins(signs[to - 1], signs[to])) {
      parts.push(...labels);
      labels = [];
    }
    parts.push(shown(signs.slice(word, to).join("")));
  };
  for (const span of [...spans].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (span.end > signs.length && span.start >= signs.length - 1) continue; // in the part that the list omits
    const start = Math.min(Math.max(span.start, at), signs.length);
    const end = Math.max(Math.min(span.end, signs.length), start);
    plain(start);
    const sure = typeof span.confidence === "number" ? ` · confidence ${span.confidence.toFixed(2)}` : "";
    const what = [span.severity, span.category].filter(Boolean).join(" · ") + sure;
    const key = `${start}-${end}-${parts.length}`;
    parts.push(
      <mark key={key} class={`span ${severity(span.severity)}`} title={`${what}${span.metric ? ` (${span.metric})` : ""}`}>
        {shown(signs.slice(start, end).join(""))}
      </mark>,
    );
    labels.push(<span key={`${key}-sup`} class="sup" aria-label={what}>{SHORT[severity(span.severity)]}</span>);
    at = end;
  }
  plain(signs.length);
  return <bdi class="text" dir="auto" lang={lang || undefined}>{parts}</bdi>;
}

const LETTER = /[\p{L}\p{M}\u200c\u200d]/u;
const ALONE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

// Whether two adjacent characters belong to one word that must not be split.
export const joins = (before: string | undefined, after: string | undefined): boolean =>
  before !== undefined && after !== undefined && LETTER.test(before) && LETTER.test(after) && !ALONE.test(after);

const SHORT: Record<string, string> = { neutral: "neu", minor: "min", major: "maj", critical: "crit" };
export const severity = (name: string): string => (name in SHORT ? name : "neutral");
