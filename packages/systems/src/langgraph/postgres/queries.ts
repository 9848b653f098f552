import type { PostgresReader } from '@checkpoint-inspector/io';
import type { FullRow, Key, PendingRow, Queries, RowSummary, ThreadRow, WriteRow } from '../queries.ts';
import { childrenOf, hasDeltasIn, lastingOf, mentionsOf, writeCountsOf } from './plan-sql.ts';
import { answered, Question, type Open } from './questions.ts';
import { ancestorsOf, rowsOf, storedOf } from './rows.ts';
import {
  endsOf,
  keysOf,
  newestOf,
  pendingOf,
  placeOf,
  placesOfId,
  summariesOf,
  suspectsOf,
  tasksOf,
  threadFacts,
  writesOf,
  writeTotals,
  type Asked,
  type TaskRow,
  type ThreadFacts,
  type WriteTotals,
} from './sql.ts';
import type { Layout } from './tables.ts';
import {
  blobFacts,
  blobOf,
  blobsNamed,
  typeOfBlob,
  type BlobFacts,
  type BlobKey,
  type BlobName,
  type Part,
  type StoredBlob,
} from './values.ts';

const asked = (thread: string, { ns, id }: Key): Asked => [thread, ns, id];

/** For questions that are seldom asked about more than one thing. */
function oneByOne<A, T>(ask: (reader: PostgresReader, about: A) => Promise<T>) {
  return async (reader: PostgresReader, all: readonly A[]): Promise<T[]> => {
    const answers: T[] = [];
    for (const about of all) answers.push(await ask(reader, about));
    return answers;
  };
}

type NamedBlob = BlobKey & { readonly isShared: boolean };

/** What LangGraph's rules ask of a PostgreSQL schema, answered for one moment (`answer`). */
export class PostgresQueries implements Queries {
  readonly #questions: readonly Open[];
  #list: ReadonlyMap<string, ThreadRow> | undefined;
  readonly #threads: Question<null, readonly ThreadRow[]>;
  readonly #facts: Question<string, ThreadFacts | undefined>;
  readonly #suspects: Question<string, readonly Key[]>;
  readonly #keys: Question<Parameters<typeof keysOf>[2], readonly Key[]>;
  readonly #newest: Question<Asked, readonly string[]>;
  readonly #place: Question<Asked, number>;
  readonly #summary: Question<Asked, RowSummary | undefined>;
  readonly #row: Question<Asked, FullRow | undefined>;
  readonly #shape: Question<Asked, FullRow | undefined>;
  readonly #ancestors: Question<Parameters<typeof ancestorsOf>[2], readonly FullRow[]>;
  readonly #end: Question<Asked, Uint8Array | undefined>;
  readonly #writes: Question<readonly [Asked, string], readonly WriteRow[]>;
  readonly #pending: Question<readonly [Asked, number, number], readonly PendingRow[]>;
  readonly #totals: Question<Asked, WriteTotals>;
  readonly #tasks: Question<Asked, readonly TaskRow[]>;
  readonly #find: Question<string, readonly { readonly thread: string; readonly ns: string }[]>;
  readonly #writeCounts: Question<string, readonly (Key & { readonly count: number })[]>;
  readonly #mentions: Question<readonly [string, string], readonly (Key & { readonly metadata: string })[]>;
  readonly #lasting: Question<readonly [string, string | null], readonly Key[]>;
  readonly #hasDeltas: Question<string, boolean>;
  readonly #children: Question<Asked, readonly string[]>;
  readonly #stored: Question<Asked, Uint8Array | undefined>;
  readonly #named: Question<Part, readonly NamedBlob[]>;
  readonly #blobs: Question<string, BlobFacts>;
  readonly #blobType: Question<BlobName, string | undefined>;
  readonly #blob: Question<BlobName, StoredBlob | undefined>;

  /** @param threads all threads, as of the reader's moment */
  constructor(layout: Layout, threads: (reader: PostgresReader) => Promise<readonly ThreadRow[]>) {
    const questions: Open[] = [];
    const question = <A, T>(nothing: T, ask: (reader: PostgresReader, all: readonly A[]) => Promise<readonly T[]>) => {
      const made = new Question(nothing, ask);
      questions.push(made);
      return made;
    };
    this.#questions = questions;
    this.#threads = question([], async (reader) => {
      const rows = await threads(reader);
      this.#list = new Map(rows.map((row) => [row.id, row]));
      return [rows];
    });
    this.#facts = question(undefined, (reader, all) => threadFacts(reader, layout, all));
    this.#suspects = question([], (reader, all) => suspectsOf(reader, layout, all));
    this.#keys = question(
      [],
      oneByOne((reader, about) => keysOf(reader, layout, about)),
    );
    this.#newest = question([], (reader, all) => newestOf(reader, layout, all, 1));
    this.#place = question(
      0,
      oneByOne((reader, about) => placeOf(reader, layout, about)),
    );
    this.#summary = question(undefined, (reader, all) => summariesOf(reader, layout, all));
    this.#row = question(undefined, (reader, all) => rowsOf(reader, layout, all, 'all'));
    this.#shape = question(undefined, (reader, all) => rowsOf(reader, layout, all, 'triggers'));
    this.#ancestors = question(
      [],
      oneByOne((reader, about) => ancestorsOf(reader, layout, about)),
    );
    this.#end = question(undefined, (reader, all) => endsOf(reader, layout, all));
    this.#writes = question([], writesOf);
    this.#pending = question([], oneByOne(pendingOf));
    this.#totals = question({ count: 0, plain: 0, bytes: 0 }, writeTotals);
    this.#tasks = question([], tasksOf);
    this.#find = question(
      [],
      oneByOne((reader, id) => placesOfId(reader, layout, id)),
    );
    this.#writeCounts = question([], oneByOne(writeCountsOf));
    this.#mentions = question(
      [],
      oneByOne((reader, about) => mentionsOf(reader, layout, about)),
    );
    this.#lasting = question(
      [],
      oneByOne((reader, about) => lastingOf(reader, layout, about)),
    );
    this.#hasDeltas = question(
      false,
      oneByOne((reader, thread) => hasDeltasIn(reader, layout, thread)),
    );
    this.#children = question([], (reader, all) => childrenOf(reader, layout, all));
    this.#stored = question(
      undefined,
      oneByOne((reader, about) => storedOf(reader, layout, about)),
    );
    this.#named = question(
      [],
      oneByOne((reader, part) => blobsNamed(reader, layout, part)),
    );
    this.#blobs = question(
      { count: 0, greatest: null, isBranched: false },
      oneByOne((reader, thread) => blobFacts(reader, layout, thread)),
    );
    this.#blobType = question(undefined, oneByOne(typeOfBlob));
    this.#blob = question(undefined, oneByOne(blobOf));
  }

  /** What the rules return once everything that they ask has been fetched. */
  answer<T>(reader: PostgresReader, run: () => T | Promise<T>): Promise<T> {
    return answered(this.#questions, reader, run);
  }

  /** All answers are of one moment. */
  version(): unknown {
    return this;
  }

  threads(): readonly ThreadRow[] {
    return this.#threads.of(null);
  }

  /** Where the list is known, it has the answer: both are of one moment. */
  thread(thread: string): ThreadRow | undefined {
    if (this.#list !== undefined) return this.#list.get(thread);
    const facts = this.#facts.of(thread);
    return facts === undefined || facts.count + facts.writes === 0 ? undefined : { id: thread, ...facts };
  }

  /** Every reading is a new one. */
  savedSince(): { readonly threads: undefined } {
    return { threads: undefined };
  }

  bytes(thread: string): number {
    return this.#facts.of(thread)?.bytes ?? 0;
  }

  otherTypes(thread: string): number {
    return this.#facts.of(thread)?.otherTypes ?? 0;
  }

  suspects(thread: string): readonly Key[] {
    return this.#suspects.of(thread);
  }

  older(thread: string, from: Key | undefined, limit: number): readonly Key[] {
    return this.#keys.of([thread, 'older', from === undefined ? null : { ns: from.ns, id: from.id }, limit]);
  }

  newer(thread: string, from: Key, limit: number): readonly Key[] {
    return this.#keys.of([thread, 'newer', { ns: from.ns, id: from.id }, limit]);
  }

  keys(thread: string): readonly Key[] {
    return this.#keys.of([thread, 'newer', null, null]);
  }

  newest(thread: string, ns: string, before = ''): string | undefined {
    return this.#newest.of([thread, ns, before])[0];
  }

  place(thread: string, key: Key): number {
    return this.#place.of(asked(thread, key));
  }

  summary(thread: string, key: Key): RowSummary | undefined {
    return this.#summary.of(asked(thread, key));
  }

  row(thread: string, key: Key): FullRow | undefined {
    return this.#row.of(asked(thread, key));
  }

  /** The column `checkpoint` alone, as the server writes it. */
  stored(thread: string, key: Key): Uint8Array | undefined {
    return this.#stored.of(asked(thread, key));
  }

  shapeRow(thread: string, key: Key): FullRow | undefined {
    return this.#shape.of(asked(thread, key));
  }

  ancestors(thread: string, { ns, parent }: FullRow, channels: readonly string[]): readonly FullRow[] {
    return this.#ancestors.of([thread, ns, parent, channels]);
  }

  /** Answers that were fetched together with others. */
  learnEnd(thread: string, key: Key, end: Uint8Array | undefined): void {
    this.#end.learn(asked(thread, key), end);
  }

  end(thread: string, key: Key): Uint8Array | undefined {
    return this.#end.of(asked(thread, key));
  }

  writes(thread: string, key: Key, channel: string): readonly WriteRow[] {
    return this.#writes.of([asked(thread, key), channel]);
  }

  allWrites(thread: string, key: Key, largest: number, limit: number): readonly PendingRow[] {
    return this.#pending.of([asked(thread, key), largest, limit]);
  }

  plainWrites(thread: string, key: Key): number {
    return this.#totals.of(asked(thread, key)).plain;
  }

  tasksOf(thread: string, key: Key): readonly TaskRow[] {
    return this.#tasks.of(asked(thread, key));
  }

  writeCount(thread: string): number {
    return this.#facts.of(thread)?.writes ?? 0;
  }

  writesOf(thread: string, key: Key): WriteTotals {
    return this.#totals.of(asked(thread, key));
  }

  writeCounts(thread: string): readonly (Key & { readonly count: number })[] {
    return this.#writeCounts.of(thread);
  }

  mentions(thread: string, id: string): readonly (Key & { readonly metadata: string })[] {
    return this.#mentions.of([thread, id]);
  }

  lasting(thread: string, upTo: string | undefined): readonly Key[] {
    return this.#lasting.of([thread, upTo ?? null]);
  }

  hasDeltas(thread: string): boolean {
    return this.#hasDeltas.of(thread);
  }

  children(thread: string, keys: readonly Key[]): readonly (readonly string[])[] {
    return keys.map((key) => this.#children.of(asked(thread, key)));
  }

  find(id: string): readonly { readonly thread: string; readonly ns: string }[] {
    return this.#find.of(id);
  }

  /** The blobs that these checkpoints name, and of each whether a checkpoint beside them does too. */
  blobsNamed(thread: string, keys: readonly Key[]): readonly NamedBlob[] {
    return this.#named.of([thread, keys.map(({ ns, id }) => [ns, id])]);
  }

  blobFacts(thread: string): BlobFacts {
    return this.#blobs.of(thread);
  }

  /** How a value of the root graph is stored; `undefined` where there is none. */
  typeOfBlob(thread: string, channel: string, version: string): string | undefined {
    return this.#blobType.of([thread, channel, version]);
  }

  /** A value of the root graph, as stored. */
  blobOf(thread: string, channel: string, version: string): StoredBlob | undefined {
    return this.#blob.of([thread, channel, version]);
  }
}
