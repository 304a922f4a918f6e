// Filter expressions for a page without a server. It implements the grammar of src/assay/core/expression;
// tests/core/expression/vectors.json has test cases for both.
import type { Value } from "./types";

interface Token { kind: string; value: string; start: number; end: number }
interface Node { kind: string; start: number; end: number; value: string | number | boolean; parts: Node[] }
type Columns = Record<string, Value[]>;

const KEYWORDS = ["and", "or", "not", "in", "is", "missing", "matches", "true", "false"];
const OTHER_LANGUAGES: Record<string, string> = { "=": "==", "&&": "and", "||": "or", "&": "and", "|": "or", "!": "not", "<>": "!=", "=~": "~" };
const ORDER = ["<", "<=", ">", ">="];
const COMPARISONS = [...ORDER, "==", "!="];
const FUNCTIONS: Record<string, string> = { length: "length", lower: "lower", abs: "abs", number: "numeric" };
const TOKEN = /(?<blank>\s+)|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))|(?<word>[\p{L}\p{Nl}_][\p{L}\p{N}\p{M}_]*)|(?<quoted>`[^`]*`)|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<sign><=|>=|==|!=|!~|=~|<>|&&|\|\||[-+*/<>~(),[\]=&|!])/suy;
const FLAGS = new Set([
  "empty_hypothesis", "copied_source", "far_longer", "far_shorter", "wrong_language", "empty_reference", "missing_reference", "unread_lines", "truncated", "bounded",
  "unsupported_script", "unknown_characters", "untrained_language", "unknown_language", "refused_answer", "unreadable_answer",
  "cut_answer", "unread_spans", "lost_span", "nothing_to_compare",
]);
const MOST_DEPTH = 50;
const MOST_MILLISECONDS = 2000; // of one regular expression over all rows

function wrong(text: string, at: { start: number; end: number }, sentence: string): Error {
  return new Error(`${sentence} In the expression: ${text.slice(0, at.start)}⟦${text.slice(at.start, at.end)}⟧${text.slice(at.end)}`);
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const place = { start: at, end: at + (match?.[0].length ?? 1) };
    if (!match?.groups) throw wrong(text, place, `unexpected '${text[at]}'. A name that contains it needs backticks.`);
    at = place.end;
    const said = match[0];
    const { blank, number, word, quoted, text: quote } = match.groups;
    if (blank) continue;
    if (number) found.push({ kind: "number", value: said, ...place });
    else if (word) found.push({ kind: KEYWORDS.includes(said.toLowerCase()) ? said.toLowerCase() : "name", value: said, ...place });
    else if (quoted) found.push({ kind: "name", value: said.slice(1, -1), ...place });
    else if (quote) found.push({ kind: "text", value: unescaped(said.slice(1, -1)), ...place });
    else if (OTHER_LANGUAGES[said]) throw wrong(text, place, `write '${OTHER_LANGUAGES[said]}' instead of '${said}'.`);
    else found.push({ kind: said, value: said, ...place });
  }
  found.push({ kind: "end", value: "", start: text.length, end: text.length });
  return found;
}

function unescaped(inner: string): string {
  const known: Record<string, string> = { n: "\n", t: "\t", "\\": "\\", '"': '"', "'": "'" };
  return inner.replace(/\\(.)/gsu, (whole, sign: string) => known[sign] ?? whole);
}

class Parser {
  private at = 0;
  private depth = 0;
  private words: Token[];

  constructor(private text: string) {
    this.words = tokens(text);
  }

  whole(): Node {
    if (this.now.kind === "end") throw new Error('The expression is empty; write one such as: chrf < 30 and lang == "de".');
    const tree = this.either();
    this.expect("end", "and, or, or the end");
    return tree;
  }

  private get now(): Token {
    return this.words[this.at];
  }

  private take(...kinds: string[]): Token | null {
    if (!kinds.includes(this.now.kind)) return null;
    return this.words[this.at++];
  }

  private expect(kind: string, said: string): Token {
    const token = this.take(kind);
    if (!token) throw this.unexpected(`${said} was expected here`);
    return token;
  }

  private unexpected(sentence: string): Error {
    const said = this.now.kind === "end" ? "but the expression ends" : `not '${this.now.value}'`;
    return wrong(this.text, this.now, `${sentence}, ${said}.`);
  }

  private node(kind: string, parts: Node[], start = parts[0].start): Node {
    return { kind, start, end: this.words[this.at - 1].end, value: "", parts };
  }

  private leaf(token: Token, kind: string, value: string | number | boolean): Node {
    return { kind, start: token.start, end: token.end, value, parts: [] };
  }

  private inside<T>(token: Token, parse: () => T): T {
    if (++this.depth > MOST_DEPTH) throw wrong(this.text, token, "The expression is nested too deeply.");
    const found = parse();
    this.depth--;
    return found;
  }

  private either(): Node {
    const parts = [this.both()];
    while (this.take("or")) parts.push(this.both());
    return parts.length === 1 ? parts[0] : this.node("or", parts);
  }

  private both(): Node {
    const parts = [this.negated()];
    while (this.take("and")) parts.push(this.negated());
    return parts.length === 1 ? parts[0] : this.node("and", parts);
  }

  private negated(): Node {
    const token = this.take("not");
    return token ? this.inside(token, () => this.node("not", [this.negated()], token.start)) : this.comparison();
  }

  private comparison(): Node {
    let left = this.sum();
    if (this.take("is")) {
      const denied = this.take("not");
      this.expect("missing", "missing (as in: chrf is missing)");
      return this.denied(this.node("missing", [left]), denied !== null);
    }
    const match = this.take("~", "matches", "!~");
    if (match) return this.denied(this.matching(left), match.kind === "!~");
    if (this.take("not")) {
      if (this.take("in")) return this.denied(this.among(left), true);
      if (this.take("matches", "~")) return this.denied(this.matching(left), true);
      throw this.unexpected("in or matches was expected after not");
    }
    if (this.take("in")) return this.among(left);
    const compared: Node[] = [];
    for (let token = this.take(...COMPARISONS); token; token = this.take(...COMPARISONS)) {
      const right = this.sum();
      compared.push(this.node(token.kind, [left, right]));
      left = right;
    }
    if (!compared.length) return left;
    return compared.length === 1 ? compared[0] : this.node("and", compared);
  }

  private denied(node: Node, denied: boolean): Node {
    return denied ? this.node("not", [node]) : node;
  }

  private matching(left: Node): Node {
    const token = this.expect("text", "a regular expression in quotation marks");
    return this.node("matches", [left, this.leaf(token, "text", token.value)]);
  }

  private among(left: Node): Node {
    const name = this.take("name");
    if (name) return this.node("has", [left, this.leaf(name, "name", name.value)]);
    const opened = this.take("(", "[");
    if (!opened) throw this.unexpected('a list such as ("de", "fr") or the name of a column was expected after in');
    const options = [this.literal()];
    while (this.take(",")) options.push(this.literal());
    this.expect(opened.kind === "(" ? ")" : "]", "a comma or the end of the list");
    for (const option of options) {
      if (option.kind !== options[0].kind) throw wrong(this.text, option, "A list holds numbers or texts, not both.");
    }
    return this.node("in", [left, ...options]);
  }

  private literal(): Node {
    const minus = this.take("-");
    const number = this.take("number");
    if (number) return this.leaf(minus ? { ...number, start: minus.start } : number, "number", this.exact(number) * (minus ? -1 : 1));
    const text = minus ? null : this.take("text");
    if (text) return this.leaf(text, "text", text.value);
    throw this.unexpected("a number or a text in quotation marks was expected here");
  }

  private exact(token: Token): number {
    const value = Number(token.value);
    if (!(Math.abs(value) < 2 ** 53)) throw wrong(this.text, token, "The number is too large to be compared exactly.");
    return value;
  }

  private sum(): Node {
    let left = this.product();
    for (let token = this.take("+", "-"); token; token = this.take("+", "-")) left = this.node(token.kind, [left, this.product()]);
    return left;
  }

  private product(): Node {
    let left = this.signed();
    for (let token = this.take("*", "/"); token; token = this.take("*", "/")) left = this.node(token.kind, [left, this.signed()]);
    return left;
  }

  private signed(): Node {
    const minus = this.take("-");
    if (minus) {
      if (this.now.kind === "number") {
        this.at--;
        return this.literal();
      }
      return this.inside(minus, () => this.node("negative", [this.signed()], minus.start));
    }
    let token = this.take("number");
    if (token) return this.leaf(token, "number", this.exact(token));
    token = this.take("text");
    if (token) return this.leaf(token, "text", token.value);
    token = this.take("true", "false");
    if (token) return this.leaf(token, "truth", token.kind === "true");
    token = this.take("name");
    if (token) {
      const name = token;
      const opened = this.take("(");
      if (!opened) return this.leaf(name, "name", name.value);
      const kind = FUNCTIONS[name.value];
      if (!kind) throw wrong(this.text, name, `Unknown function '${name.value}'. Available: ${Object.keys(FUNCTIONS).join(", ")}.`);
      return this.inside(opened, () => {
        const part = this.either();
        this.expect(")", "a closing parenthesis");
        return this.node(kind, [part], name.start);
      });
    }
    token = this.take("(");
    if (token) {
      return this.inside(token, () => {
        const part = this.either();
        this.expect(")", "a closing parenthesis");
        return part;
      });
    }
    throw this.unexpected("a name, a number or a text was expected here (names with other characters need backticks)");
  }
}

class Rows {
  constructor(private text: string, private columns: Columns) {}

  truth(node: Node): (row: number) => boolean {
    const { kind, parts } = node;
    if (kind === "and" || kind === "or") {
      const all = parts.map((part) => this.truth(part));
      return kind === "and" ? (row) => all.every((one) => one(row)) : (row) => all.some((one) => one(row));
    }
    if (kind === "not") {
      const inner = this.truth(parts[0]);
      return (row) => !inner(row);
    }
    if (kind === "truth") return () => node.value as boolean;
    if (kind === "missing") {
      if (parts[0].kind !== "name" || this.isFlag(parts[0])) return () => false;
      const column = this.column(parts[0]);
      return (row) => column[row] === null || column[row] === undefined || column[row] === "";
    }
    if (kind === "matches") {
      const text = this.string(parts[0]);
      let pattern: RegExp;
      try {
        pattern = new RegExp(String(parts[1].value), "u");
      } catch {
        throw wrong(this.text, parts[1], "This is not a regular expression.");
      }
      let spent = 0;
      return (row) => {
        const own = text(row), begun = performance.now();
        const found = pattern.test(own);
        spent += performance.now() - begun;
        if (spent > MOST_MILLISECONDS) throw wrong(this.text, parts[1], "This regular expression takes too long.");
        return found;
      };
    }
    if (kind === "in") {
      const options = new Set(parts.slice(1).map((part) => part.value));
      const value = parts[1].kind === "number" ? this.number(parts[0]) : this.string(parts[0]);
      return (row) => options.has(value(row));
    }
    if (kind === "has") {
      const text = this.string(parts[0]);
      const column = this.column(parts[1]);
      return (row) => list(column[row]).includes(text(row));
    }
    if (ORDER.includes(kind)) return this.ordered(node);
    if (kind === "==" || kind === "!=") {
      const same = this.same(parts[0], parts[1]);
      return kind === "==" ? same : (row) => !same(row);
    }
    if (kind === "name") return this.flag(node);
    throw wrong(this.text, node, "True or false is needed here.");
  }

  private ordered(node: Node): (row: number) => boolean {
    const [left, right] = [this.number(node.parts[0]), this.number(node.parts[1])];
    switch (node.kind) {
      case "<": return (row) => left(row) < right(row);
      case "<=": return (row) => left(row) <= right(row);
      case ">": return (row) => left(row) > right(row);
      default: return (row) => left(row) >= right(row);
    }
  }

  private same(left: Node, right: Node): (row: number) => boolean {
    const kind = this.gives(left) ?? this.gives(right) ?? "text";
    const other = this.gives(right) ?? kind;
    if (kind !== other) throw wrong(this.text, { start: left.start, end: right.end }, `cannot compare ${kind} with ${other}.`);
    const read = (node: Node): ((row: number) => unknown) =>
      kind === "number" ? this.number(node) : kind === "truth" ? this.truth(node) : this.string(node);
    const [a, b] = [read(left), read(right)];
    return (row) => a(row) === b(row);
  }

  private gives(node: Node): string | null {
    if (node.kind === "name") {
      if (this.isFlag(node)) return "truth";
      const known = this.column(node).find((value) => value !== null && value !== undefined);
      return typeof known === "boolean" ? "truth" : typeof known === "number" ? "number" : typeof known === "string" ? "text" : null;
    }
    if (["text", "lower"].includes(node.kind)) return "text";
    return ["+", "-", "*", "/", "negative", "abs", "numeric", "length", "number"].includes(node.kind) ? "number" : "truth";
  }

  private isFlag(node: Node): boolean {
    const name = String(node.value);
    return !(name in this.columns) && "flags" in this.columns && FLAGS.has(name.slice(name.lastIndexOf(" ") + 1));
  }

  private flag(node: Node): (row: number) => boolean {
    if (this.isFlag(node)) {
      const flags = this.column({ ...node, value: "flags" });
      return (row) => list(flags[row]).includes(String(node.value));
    }
    const column = this.column(node);
    return (row) => {
      const value = column[row] ?? false;
      if (typeof value !== "boolean") throw this.refused(node, row, "is not true or false");
      return value;
    };
  }

  private number(node: Node): (row: number) => number {
    const { kind, parts } = node;
    if (kind === "number") return () => node.value as number;
    if (kind === "name") {
      const column = this.column(node);
      return (row) => {
        const value = column[row];
        if (typeof value === "number") return value;
        const missing = value === null || value === undefined || value === "";
        throw this.refused(node, row, missing ? "has no number; include or exclude such rows: … is missing or …, is not missing and …" : "is not a number");
      };
    }
    if (kind === "length") {
      const text = this.string(parts[0]);
      return (row) => [...text(row)].length;
    }
    const of = ["+", "-", "*", "/", "abs", "negative", "numeric"].includes(kind) ? parts.map((part) => this.number(part)) : [];
    switch (kind) {
      case "+": return (row) => of[0](row) + of[1](row);
      case "-": return (row) => of[0](row) - of[1](row);
      case "*": return (row) => of[0](row) * of[1](row);
      case "/": return (row) => {
        const value = of[0](row) / of[1](row);
        if (!Number.isFinite(value)) throw this.refused(node, row, "is not a finite number");
        return value;
      };
      case "abs": return (row) => Math.abs(of[0](row));
      case "negative": return (row) => -of[0](row);
      case "numeric": return of[0];
      default: throw wrong(this.text, node, "A number is needed here.");
    }
  }

  private string(node: Node): (row: number) => string {
    if (node.kind === "text") return () => String(node.value);
    if (node.kind === "lower") {
      const inner = this.string(node.parts[0]);
      return (row) => inner(row).toLowerCase();
    }
    if (node.kind !== "name") throw wrong(this.text, node, "A text is needed here.");
    const column = this.column(node);
    return (row) => {
      const value = column[row] ?? "";
      if (typeof value !== "string") throw this.refused(node, row, "is not text");
      return value;
    };
  }

  private column(node: Node): Value[] {
    const column = this.columns[String(node.value)];
    if (!column) throw wrong(this.text, node, `Unknown column '${node.value}'. Available: ${Object.keys(this.columns).join(", ")}.`);
    return column;
  }

  private refused(node: Node, row: number, said: string): Error {
    return wrong(this.text, node, `Row ${row + 1}: ${this.text.slice(node.start, node.end)} ${said}.`);
  }
}

function list(value: Value | undefined): string[] {
  if (typeof value === "string") return value.split(",").map((item) => item.trim());
  return Array.isArray(value) ? value.map(String) : [];
}

export function condition(text: string, columns: Columns): (row: number) => boolean {
  return new Rows(text, columns).truth(new Parser(text).whole());
}

// A name and a text as written in an expression.
export const written = (name: string): string => (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `\`${name}\``);
export const quoted = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;
