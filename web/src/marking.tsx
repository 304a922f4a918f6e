// A text in which users mark errors with the mouse, by touch, or word by word with the arrow keys.
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { MarkedError } from "./session";
import { bounds, offsetIn, selectedIn, settled, wordsOf } from "./selection";
import type { Chosen } from "./selection";
import { joins, severity, shown } from "./text";

export const LEVELS = ["neutral", "minor", "major", "critical"];

// Split the text at the start and end of every error and of the selection; errors may overlap.
function pieces(signs: string[], errors: MarkedError[], chosen: Chosen | null) {
  const cuts = new Set([0, signs.length]);
  for (const { start, end } of [...errors, ...(chosen ? [chosen] : [])]) cuts.add(start).add(end);
  const places = [...cuts].filter((place) => place <= signs.length).sort((a, b) => a - b);
  return places.slice(0, -1).map((start, i) => ({ start, end: places[i + 1] }));
}

export function Marking({ label, text, language, errors, numbers, chosen: given, lit, choose: tell, enter }: {
  label: string; text: string; language: string; errors: MarkedError[]; numbers: Map<MarkedError, number>; chosen: Chosen | null; lit: MarkedError | null;
  choose: (chosen: Chosen | null) => void; enter: () => void;
}) {
  const root = useRef<HTMLDivElement>(null);
  const signs = useMemo(() => [...text], [text]);
  const words = useMemo(() => wordsOf(text, language), [text, language]);
  const anchor = useRef(0);
  // Keys may arrive before the page is redrawn, so the selection is also stored here.
  const current = useRef(given);
  current.current = given;
  const place = useRef(-1); // the word from which arrow keys continue if nothing is selected
  useLayoutEffect(() => { place.current = -1; }, [text]);
  const choose = (next: Chosen | null) => {
    current.current = next;
    if (next) place.current = words.filter(({ start }) => start < next.end).length - 1;
    tell(next);
  };

  const take = () => {
    const box = root.current;
    const found = box && selectedIn(box, text);
    if (found) choose(found);
    return found;
  };
  // On touch screens, users move the ends of a selection after making it.
  useEffect(() => {
    let timer = 0;
    const changed = () => {
      clearTimeout(timer);
      if (matchMedia("(pointer: coarse)").matches) timer = window.setTimeout(take, 300);
    };
    document.addEventListener("selectionchange", changed);
    return () => { document.removeEventListener("selectionchange", changed); clearTimeout(timer); };
  });

  const released = (event: MouseEvent) => {
    const box = root.current;
    if (!box) return;
    if (take()) {
      if (!matchMedia("(pointer: coarse)").matches) document.getSelection()?.removeAllRanges();
      return;
    }
    const caret = document.getSelection();
    if (!caret?.anchorNode || !box.contains(caret.anchorNode) || !box.contains(event.target as Node)) return;
    const at = offsetIn(box, caret.anchorNode, caret.anchorOffset);
    const word = words.find(({ start, end }) => start <= at && at < end) ?? words.find(({ end }) => end === at);
    choose(word ?? null);
  };

  // Arrow keys move by words and, with Ctrl or Alt, by characters; Shift extends the selection. Left and right are visual directions.
  const pressed = (event: KeyboardEvent) => {
    const chosen = current.current;
    const turned = root.current !== null && getComputedStyle(root.current).direction === "rtl";
    const step = event.key === "ArrowRight" ? (turned ? -1 : 1) : event.key === "ArrowLeft" ? (turned ? 1 : -1) : 0;
    if (event.key === "Enter" && chosen) enter();
    else if (event.key === "Escape" && chosen) choose(null);
    else if ((event.key === "Home" || event.key === "End") && words.length) {
      anchor.current = event.key === "Home" ? 0 : words.length - 1;
      choose(words[anchor.current]);
    } else if (step && words.length && (event.ctrlKey || event.altKey)) {
      if (chosen) choose(nudged(text, chosen, step, event.shiftKey));
    } else if (step && words.length) {
      const first = chosen ? words.findIndex(({ end }) => end > chosen.start) : -1;
      const last = chosen ? words.filter(({ start }) => start < chosen.end).length - 1 : -1;
      if (!chosen || first < 0 || last < 0) {
        const from = place.current < 0 && step < 0 ? words.length : place.current;
        anchor.current = Math.max(0, Math.min(words.length - 1, from + step));
        choose(words[anchor.current]);
      } else if (event.shiftKey) {
        if (anchor.current < first || anchor.current > last) anchor.current = step > 0 ? first : last;
        const moving = anchor.current === first && (last > first || step > 0) ? last : first;
        const focus = Math.max(0, Math.min(words.length - 1, moving + step));
        const [from, to] = [Math.min(anchor.current, focus), Math.max(anchor.current, focus)];
        choose({ start: words[from].start, end: words[to].end });
      } else {
        anchor.current = Math.max(0, Math.min(words.length - 1, step > 0 ? last + 1 : first - 1));
        choose(words[anchor.current]);
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={root} class="marking text" role="textbox" aria-readonly="true" aria-multiline="true" aria-label={label} aria-describedby="marking-help"
      tabIndex={0} dir="auto" lang={language || undefined} onMouseUp={released} onKeyDown={pressed}>
      {pieces(signs, errors, given).map(({ start, end }) => {
        const here = errors.filter((error) => error.start <= start && error.end >= end && error.end > error.start);
        const worst = here.reduce((level, error) => Math.max(level, LEVELS.indexOf(severity(error.severity))), -1);
        const picked = given !== null && given.start <= start && given.end >= end;
        const names = [...(worst >= 0 ? ["span", LEVELS[worst]] : []), ...(picked ? ["picked"] : []), ...(lit && here.includes(lit) ? ["lit"] : [])];
        const part = shown(signs.slice(start, end).join(""));
        if (!names.length) return part;
        const ending = here.filter((error) => error.end === end).map((error) => numbers.get(error));
        const numbered = ending.length > 0 && !joins(signs[end - 1], signs[end]);
        return (
          <span key={start} class={names.join(" ")} data-n={numbered ? ending.join(" ") : undefined}
            title={here.map((error) => `${error.severity} · ${error.category}`).join("; ") || undefined}>{part}</span>
        );
      })}
    </div>
  );
}

// The selection with one end moved by a character.
function nudged(text: string, chosen: Chosen, step: number, begin: boolean): Chosen | null {
  const places = bounds(text);
  const move = (place: number): number => {
    const at = places.indexOf(place);
    return at < 0 ? place : places[Math.max(0, Math.min(places.length - 1, at + step))];
  };
  const start = begin ? move(chosen.start) : chosen.start;
  const end = begin ? chosen.end : move(chosen.end);
  return start < end ? { start, end } : settled(text, chosen.start, chosen.end);
}
