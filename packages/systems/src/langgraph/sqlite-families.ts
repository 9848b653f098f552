import type { SqliteStatement } from '@checkpoint-inspector/io';
import { NAMED } from './odd-rows.ts';
import type { Key } from './queries.ts';

const CHILD = 'thread_id = ? AND checkpoint_ns = ? AND parent_checkpoint_id = ?';
/** The row after another one, in the order of the index. */
const NEXT = `SELECT checkpoint_id AS id, parent_checkpoint_id AS parent FROM checkpoints
  WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id > ? AND typeof(checkpoint_id) = 'text' ORDER BY checkpoint_id LIMIT 1`;
/** Threads of which this is remembered, and rows of one of them. */
const KEPT = 20;
const MOST = 20_000;
/** Rows that continue from another one than the row before them: forks, and what is after them. */
const APART = `SELECT checkpoint_ns AS ns, checkpoint_id AS id, parent_checkpoint_id AS parent FROM checkpoints c
  WHERE thread_id = ? AND ${NAMED} AND parent_checkpoint_id IS NOT NULL AND parent_checkpoint_id IS NOT (
    SELECT p.checkpoint_id FROM checkpoints p WHERE p.thread_id = c.thread_id AND p.checkpoint_ns = c.checkpoint_ns
    AND p.checkpoint_id < c.checkpoint_id ORDER BY p.checkpoint_id DESC LIMIT 1)
  ORDER BY checkpoint_ns, checkpoint_id LIMIT ${MOST + 1}`;
const DELTAS = `SELECT 1 FROM checkpoints WHERE thread_id = ?
  AND instr(CAST(metadata AS TEXT), '"counters_since_delta_snapshot"') > 0 LIMIT 1`;

type Apart = ReadonlyMap<string, readonly string[]>;

interface Known {
  /** Children by the name of their parent; `asked`: nobody has asked a second time. */
  apart?: Apart | 'asked' | 'too many';
  hasDeltas?: boolean;
}

/**
 * What is known of a thread only once all of its rows are looked at: no index has the parents. A thread that is asked
 * about again is gone through once for each commit.
 */
export class Families {
  readonly #prepared: <Row>(sql: string) => SqliteStatement<Row>;
  readonly #versionNow: () => unknown;
  readonly #known = new Map<string, Known>();
  #version: unknown;

  /** @param version another value than before once something was committed */
  constructor(prepared: <Row>(sql: string) => SqliteStatement<Row>, version: () => unknown) {
    this.#prepared = prepared;
    this.#versionNow = version;
  }

  /** In the order of their ids. */
  children(thread: string, { ns, id }: Key): readonly string[] {
    const apart = this.#apartOf(thread);
    if (apart === undefined) {
      const all = this.#prepared<Key>(`SELECT checkpoint_id AS id FROM checkpoints WHERE ${CHILD} AND ${NAMED}`);
      return all.all(thread, ns, id).map((row) => row.id);
    }
    const found = apart.get(nameOf(ns, id)) ?? [];
    const next = this.#prepared<{ id: string; parent: unknown }>(NEXT).get(thread, ns, id);
    if (next?.parent !== id || found.includes(next.id)) return found;
    return [...found, next.id].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  /** True when some checkpoint of the thread counts changes of delta channels. */
  hasDeltas(thread: string): boolean {
    const known = this.#of(thread);
    return (known.hasDeltas ??= this.#prepared(DELTAS).get(thread) !== undefined);
  }

  /** Absent at first, and where there are too many. */
  #apartOf(thread: string): Apart | undefined {
    const known = this.#of(thread);
    known.apart = known.apart === 'asked' ? this.#read(thread) : (known.apart ?? 'asked');
    return typeof known.apart === 'string' ? undefined : known.apart;
  }

  #of(thread: string): Known {
    const version = this.#versionNow();
    if (version !== this.#version || this.#known.size >= KEPT) this.#known.clear();
    this.#version = version;
    const known = this.#known.get(thread) ?? {};
    this.#known.set(thread, known);
    return known;
  }

  #read(thread: string): Apart | 'too many' {
    const rows = this.#prepared<Key & { parent: unknown }>(APART).all(thread);
    if (rows.length > MOST) return 'too many';
    const apart = new Map<string, string[]>();
    for (const { ns, id, parent } of rows) {
      // Nothing but text is looked for.
      if (typeof parent !== 'string') continue;
      const name = nameOf(ns, parent);
      const found = apart.get(name);
      if (found) found.push(id);
      else apart.set(name, [id]);
    }
    return apart;
  }
}

const nameOf = (ns: string, id: string): string => JSON.stringify([ns, id]);
