import type { SqliteStatement } from '@checkpoint-inspector/io';
import { TEXTS, UP_TO_TEXTS } from './odd-rows.ts';

/** Where an id is. No index begins with it: a look into each thread's root, and through its subgraphs' part of the index. */
export const FIND = `WITH RECURSIVE t(id) AS (SELECT min(thread_id) FROM checkpoints WHERE ${TEXTS} UNION ALL
    SELECT (SELECT min(thread_id) FROM checkpoints WHERE thread_id > t.id AND ${UP_TO_TEXTS}) FROM t WHERE t.id IS NOT NULL)
  SELECT t.id AS thread, c.checkpoint_ns AS ns FROM t CROSS JOIN checkpoints c
  WHERE c.thread_id = t.id AND c.checkpoint_ns = '' AND c.checkpoint_id = :id UNION ALL
  SELECT t.id, c.checkpoint_ns FROM t CROSS JOIN checkpoints c
  WHERE c.thread_id = t.id AND c.checkpoint_ns > '' AND c.checkpoint_ns < x'' AND c.checkpoint_id = :id ORDER BY 1, 2`;

/** Of so many rows one is remembered, and no more than these are counted for a place. */
const STEP = 256;
/** Threads of which places are remembered. */
const KEPT = 50;

/** How many rows a checkpoint has before it in its namespace. A namespace is gone through once for each commit. */
export class Places {
  readonly #prepared: <Row>(sql: string) => SqliteStatement<Row>;
  readonly #versionNow: () => unknown;
  readonly #marks = new Map<string, readonly Buffer[]>();
  #version: unknown;

  /** @param version another value than before once something was committed */
  constructor(prepared: <Row>(sql: string) => SqliteStatement<Row>, version: () => unknown) {
    this.#prepared = prepared;
    this.#versionNow = version;
  }

  /** Of a namespace, those as old as `id` or older. */
  place(thread: string, ns: string, id: string): number {
    const marks = this.#marksOf(thread, ns);
    const before = countUpTo(marks, Buffer.from(id));
    const from = marks[before - 1]?.toString();
    const sql = `SELECT count(*) AS n FROM checkpoints
      WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id <= ? ${from === undefined ? '' : 'AND checkpoint_id > ?'}`;
    const rest = this.#prepared<{ n: number }>(sql).get(thread, ns, id, ...(from === undefined ? [] : [from]));
    return before * STEP + (rest?.n ?? 0);
  }

  /** The ids of every `STEP`th row, in SQLite's order, which is that of their bytes. */
  #marksOf(thread: string, ns: string): readonly Buffer[] {
    const version = this.#versionNow();
    if (version !== this.#version || this.#marks.size >= KEPT) this.#marks.clear();
    this.#version = version;
    const name = JSON.stringify([thread, ns]);
    const known = this.#marks.get(name) ?? this.#read(thread, ns);
    this.#marks.set(name, known);
    return known;
  }

  #read(thread: string, ns: string): readonly Buffer[] {
    const marks: Buffer[] = [];
    const next = (after: string) =>
      this.#prepared<{ id: unknown }>(`SELECT checkpoint_id AS id FROM checkpoints
        WHERE thread_id = ? AND checkpoint_ns = ? ${after} ORDER BY checkpoint_id LIMIT 1 OFFSET ${STEP - 1}`);
    let found = next('').get(thread, ns);
    const following = next('AND checkpoint_id > ?');
    // What is not text comes after all text.
    while (typeof found?.id === 'string') {
      marks.push(Buffer.from(found.id));
      found = following.get(thread, ns, found.id);
    }
    return marks;
  }
}

/** How many of the marks are at `id` or before it. */
function countUpTo(marks: readonly Buffer[], id: Buffer): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const mark = marks[middle];
    if (mark && mark.compare(id) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
