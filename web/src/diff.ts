// Differences between two texts, from the longest common subsequence of their words.
export interface Piece { text: string; changed: boolean }

const MOST_WORDS = 600;
const MOST_SIGNS = 20_000;

export function words(text: string, language: string): string[] {
  try {
    return [...new Intl.Segmenter(language || undefined, { granularity: "word" }).segment(text)].map((part) => part.segment);
  } catch {
    return text.match(/\s+|[^\s]+/gu) ?? [];
  }
}

export function diff(before: string, after: string, language: string): [Piece[], Piece[]] {
  const whole: [Piece[], Piece[]] = [[{ text: before, changed: false }], [{ text: after, changed: false }]];
  if (before.length > MOST_SIGNS || after.length > MOST_SIGNS) return whole;
  const [a, b] = [words(before, language), words(after, language)];
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return whole;
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j]
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  const [left, right]: [Piece[], Piece[]] = [[], []];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(left, a[i++], false);
      add(right, b[j++], false);
    } else if (j >= b.length || (i < a.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      add(left, a[i++], true);
    } else {
      add(right, b[j++], true);
    }
  }
  return [left, right];
}

function add(pieces: Piece[], text: string, changed: boolean): void {
  const last = pieces[pieces.length - 1];
  if (last && last.changed === changed) last.text += text;
  else pieces.push({ text, changed });
}

const LEAD = 90;
const KEPT = 40;

// Shorten the common beginning of two texts, so that a line of a list shows their difference.
export function near([left, right]: [Piece[], Piece[]]): [Piece[], Piece[]] {
  const [a, b] = [left[0], right[0]];
  if (!a || !b || a.changed || b.changed) return [left, right];
  let shared = Math.min(a.text.length, b.text.length);
  if (shared <= LEAD || (left.length === 1 && right.length === 1)) return [left, right];
  shared -= KEPT;
  while (shared > 0 && !/\s/.test(a.text[shared]) && a.text.length - shared < 2 * KEPT) shared--;
  const cut = (pieces: Piece[]): Piece[] => [{ text: `…${pieces[0].text.slice(shared)}`, changed: false }, ...pieces.slice(1)];
  return [cut(left), cut(right)];
}
