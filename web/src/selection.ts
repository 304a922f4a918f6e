// Selections of text in code points, as in Python: never inside a grapheme, and mapped to and from the elements of the page.
export interface Chosen { start: number; end: number }

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

// The start of every grapheme in code points, and the end of the text.
export function bounds(text: string): number[] {
  const found = [0];
  let at = 0;
  for (const { segment } of graphemes.segment(text)) found.push((at += [...segment].length));
  return found;
}

// Words and punctuation marks in code points, without whitespace.
export function wordsOf(text: string, language: string): Chosen[] {
  let segmenter: Intl.Segmenter;
  try {
    segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" });
  } catch {
    segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  }
  const found: Chosen[] = [];
  let at = 0;
  for (const { segment } of segmenter.segment(text)) {
    const end = at + [...segment].length;
    if (segment.trim()) found.push({ start: at, end });
    at = end;
  }
  return found;
}

// A selection of whole graphemes without whitespace at the ends; null if nothing is left.
export function settled(text: string, start: number, end: number): Chosen | null {
  const places = bounds(text);
  const signs = [...text];
  let from = places.filter((place) => place <= start).pop() ?? 0;
  let to = places.find((place) => place >= end) ?? signs.length;
  while (from < to && !signs[from].trim()) from++;
  while (to > from && !signs[to - 1].trim()) to--;
  return from < to ? { start: from, end: to } : null;
}

const stands = (node: Node): boolean => node instanceof HTMLElement && node.dataset.sign !== undefined;

// The number of characters in `root` before a position.
export function offsetIn(root: Node, node: Node, offset: number): number {
  let count = 0;
  let done = false;
  const walk = (at: Node): void => {
    if (stands(at)) {
      if (at.contains(node)) {
        done = true;
        count += offset > 0 ? 1 : 0;
      } else count += 1;
    } else if (at.nodeType === Node.TEXT_NODE) {
      const text = at.nodeValue ?? "";
      if (at === node) done = true;
      count += [...(at === node ? text.slice(0, offset) : text)].length;
    } else {
      for (let i = 0; i < at.childNodes.length && !done; i++) {
        if (at === node && i === offset) done = true;
        else walk(at.childNodes[i]);
      }
      if (at === node) done = true;
    }
  };
  walk(root);
  return count;
}

// The user's selection in `root`; null if there is none.
export function selectedIn(root: HTMLElement, text: string): Chosen | null {
  const selection = document.getSelection();
  if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(root)) return null;
  const start = root.contains(range.startContainer) ? offsetIn(root, range.startContainer, range.startOffset) : 0;
  const end = root.contains(range.endContainer) ? offsetIn(root, range.endContainer, range.endOffset) : [...text].length;
  return settled(text, start, end);
}
