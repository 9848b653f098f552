import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { hashText } from './fold.ts';

interface OpenSpan {
  readonly value: number;
  readonly path: number;
  readonly first: number;
  last: number;
  /** `last` as the database has it. */
  written: number;
}

/** A longer token is known by its hash. */
const LONG_TOKEN = 64;

export const placeKey = (path: string, token: string): string =>
  `${path}\0${token.length > LONG_TOKEN ? `#${hashText(token)} ${token.length}` : token}`;

/** The spans of one task that reach to its last written document: what stays the same only grows longer. */
export class Chain {
  readonly #spans = new Map<string, OpenSpan>();
  /** Grown since they were written. */
  #grown: OpenSpan[] = [];
  readonly #task: number;
  readonly #put: (...row: number[]) => void;
  #doc = 0;

  constructor(db: SqliteDatabase, task: number) {
    this.#task = task;
    const put = db.prepare(
      'INSERT INTO spans (value, task, path, first, last) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET last = excluded.last',
    );
    this.#put = (...row) => void put.run(...row);
  }

  /** Begins a document. `before` is the one before it in this task; spans of any other one cannot reach it. */
  begin(doc: number, before: number | undefined): void {
    if (before !== this.#doc) {
      this.flush();
      this.#spans.clear();
    }
    this.#doc = doc;
  }

  /** The document has this value at this path; `resolve` is asked only where the one before did not have it. */
  meet(key: string, resolve: () => { value: number; path: number }): void {
    const open = this.#spans.get(key);
    const span = open ?? { ...resolve(), first: this.#doc, last: 0, written: 0 };
    if (open === undefined) this.#spans.set(key, span);
    if (span.last === span.written) this.#grown.push(span);
    span.last = this.#doc;
  }

  /** Ends the document: what it no longer has reaches no further. */
  end(): void {
    for (const [key, span] of this.#spans) if (span.last !== this.#doc) this.#spans.delete(key);
  }

  /** Writes what has grown; within the transaction that writes the documents. */
  flush(): void {
    for (const span of this.#grown) {
      this.#put(span.value, this.#task, span.path, span.first, span.last);
      span.written = span.last;
    }
    this.#grown = [];
  }

  get size(): number {
    return this.#spans.size;
  }
}
