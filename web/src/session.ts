// Client of a review session on the server (src/assay/core/review.py). A decision is on disk when its request has succeeded.
export type Show = "undecided" | "all" | "mine" | "others" | "disagreeing" | "skipped";
export type Counts = Record<Show, number>;

export interface ReviewHead {
  kind: "questions" | "mqm";
  title: string;
  annotator: string;
  file: string;
  total: number;
  counts: Counts;
  categories?: string[];
  severities?: string[];
}

export interface Passage {
  label: string;
  text: string;
  language: string;
  marks: [number, number][];
  against: string;
}

interface Common { number: number; title: string; waiting: number }

export interface QuestionItem extends Common {
  passages: Passage[];
  choices: { key: string; name: string }[];
  editable: string;
  mine: string;
  others: Record<string, string>;
  seen: string;
}

export type Side = "source" | "target";

export interface MarkedError {
  side: Side;
  start: number;
  end: number;
  severity: string;
  category: string;
  text: string;
}

export interface MqmItem extends Common {
  source: string;
  target: string;
  reference: string;
  langpair: string;
  mine: MarkedError[] | null;
  others: Record<string, MarkedError[]>;
  score: number | null;
  seen: MarkedError[] | null;
}

export type ReviewItem = QuestionItem | MqmItem;
export type Decision = { choice: string; text?: string } | { errors: MarkedError[] | null };
export interface Kept { item: ReviewItem; counts: Counts }

// The item was decided elsewhere; the page shows the current state.
export class StaleView extends Error {}

async function answered<T>(asked: Promise<Response>, lost: string): Promise<T> {
  let answer: Response;
  try {
    answer = await asked;
  } catch {
    throw new Error(`The server does not respond. ${lost}Start it again and open the address that it prints; saved decisions are not lost.`);
  }
  const whole = await answer.json();
  if (answer.status === 409) throw new StaleView(whole.error);
  if (!answer.ok) throw new Error(whole.error);
  return whole as T;
}

const get = <T>(path: string): Promise<T> => answered(fetch(`api/review${path}`), "");
const post = <T>(path: string, said: unknown): Promise<T> => answered(fetch(`api/review${path}`, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(said),
}), "This decision was not saved. ");

export const order = async (show: string): Promise<number[]> => (await get<{ order: number[] }>(`/order?show=${encodeURIComponent(show)}`)).order;
export const item = (number: number): Promise<ReviewItem> => get(`/item?item=${number}`);
export const head = (): Promise<ReviewHead> => get("");
export const decide = (number: number, seen: unknown, decision: Decision): Promise<Kept> => post("/decide", { item: number, seen, ...decision });
export const finish = (): Promise<ReviewHead> => post("/finish", {});
