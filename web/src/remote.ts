import type { Asked, Compared, Detail, Exported, Grouped, Live, Points, Row, Source, Start, Window } from "./types";

// Data from the server; a rejected request is an Error with the server's message.
export class Remote implements Source {
  private async ask<T>(what: string, asked: Record<string, string | number> = {}): Promise<T> {
    const query = new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]));
    let answer: Response;
    try {
      answer = await fetch(`api/${what}?${query}`);
    } catch {
      throw new Error("The server does not respond. Start it again with assay view.");
    }
    const whole = await answer.json();
    if (!answer.ok) throw new Error(whole.error);
    return whole as T;
  }

  start(): Promise<Start> {
    return this.ask("start");
  }

  detail(run: string): Promise<Detail> {
    return this.ask("run", { run });
  }

  rows(run: string, asked: Asked, start: number, count: number): Promise<Window> {
    return this.ask("rows", { run, ...wanted(asked), start, count });
  }

  row(run: string, row: number): Promise<{ row: Row; beside: Row[] }> {
    return this.ask("row", { run, row });
  }

  points(run: string, asked: Asked, x: string, y: string): Promise<Points> {
    return this.ask("points", { run, ...wanted(asked), x, y });
  }

  groups(run: string, by: string, metric: string): Promise<Grouped> {
    return this.ask("groups", { run, by, metric });
  }

  compare(a: string, b: string): Promise<Compared> {
    return this.ask("compare", { a, b });
  }

  live(): Promise<{ live: Record<string, Live>; runs: Record<string, string> }> {
    return this.ask("live");
  }

  async download(run: string, asked: Asked, format: Exported): Promise<void> {
    await this.rows(run, asked, 0, 1); // report errors here instead of in the browser's downloads
    const query = new URLSearchParams({ run, ...wanted(asked), format });
    const link = document.createElement("a");
    link.href = `api/export?${query}`;
    link.download = "";
    link.click();
  }
}

function wanted(asked: Asked): Record<string, string> {
  return { where: asked.where, find: asked.find, sort: asked.sort, descending: asked.descending ? "1" : "" };
}
