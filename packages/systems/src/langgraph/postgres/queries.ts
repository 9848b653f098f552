import type { PostgresReader } from '@checkpoint-inspector/io';
import type {
  FullRow,
  Key,
  PendingRow,
  Queries,
  RowSummary,
  StoredOutline,
  ThreadRow,
  Version,
  WriteRow,
  WriteTotals,
} from '../queries.ts';
import { batched, inTurn, oneByOne, type Ask } from './batched.ts';
import { ancestorsOf, rowsOf, storedOf } from './rows.ts';
import {
  allThreads,
  childrenOf,
  endsOf,
  failuresOf,
  hasDeltasIn,
  keysOf,
  lastingOf,
  mentionsOf,
  newestOf,
  outlinesOf,
  pendingOf,
  placeOf,
  placesOfId,
  summariesOf,
  suspectsOf,
  tasksOf,
  threadFacts,
  threadPrints,
  writeCountsOf,
  writesOf,
  writeTotals,
  type Asked,
  type TaskRow,
  type ThreadFacts,
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

type NamedBlob = BlobKey & { readonly isShared: boolean };
type KeysAsked = Parameters<typeof keysOf>[2];

const asked = (thread: string, { ns, id }: Key): Asked => [thread, ns, id];
const NO_WRITES: WriteTotals = { count: 0, plain: 0, bytes: 0 };
const NO_BLOBS: BlobFacts = { count: 0, greatest: null, isBranched: false };

/** What LangGraph's rules ask of a PostgreSQL schema. Answers are of the reader's moment. */
export class PostgresQueries implements Queries {
  readonly #reader: PostgresReader;
  readonly #layout: Layout;
  readonly #facts: Ask<string, ThreadFacts | undefined>;
  readonly #mark: Ask<string, string>;
  readonly #suspects: Ask<string, readonly Key[]>;
  readonly #keys: Ask<KeysAsked, readonly Key[]>;
  readonly #newest: Ask<Asked, readonly string[]>;
  readonly #place: Ask<Asked, number>;
  readonly #summary: Ask<Asked, RowSummary | undefined>;
  readonly #row: Ask<Asked, FullRow | undefined>;
  readonly #shape: Ask<Asked, FullRow | undefined>;
  readonly #end: Ask<Asked, Uint8Array | undefined>;
  readonly #writes: Ask<readonly [Asked, string], readonly WriteRow[]>;
  readonly #totals: Ask<Asked, WriteTotals>;
  readonly #tasks: Ask<Asked, readonly TaskRow[]>;
  readonly #mentions: Ask<readonly [string, string], readonly (Key & { readonly metadata: string })[]>;
  readonly #children: Ask<Asked, readonly string[]>;
  readonly #find: Ask<string, readonly { readonly thread: string; readonly ns: string }[]>;
  readonly #stored: Ask<Asked, Uint8Array | undefined>;
  readonly #named: Ask<Part, readonly NamedBlob[]>;
  readonly #blobs: Ask<string, BlobFacts>;

  constructor(given: PostgresReader, layout: Layout) {
    const reader = inTurn(given);
    this.#reader = reader;
    this.#layout = layout;
    this.#facts = batched(undefined, (all) => threadFacts(reader, layout, all));
    this.#mark = batched('', async (all) => (await threadPrints(reader, layout, all)).map((print = '') => print));
    this.#suspects = batched([], (all) => suspectsOf(reader, layout, all));
    this.#keys = oneByOne([], (about) => keysOf(reader, layout, about));
    this.#newest = batched([], (all) => newestOf(reader, layout, all));
    this.#place = oneByOne(0, (about) => placeOf(reader, layout, about));
    this.#summary = batched(undefined, (all) => summariesOf(reader, layout, all));
    this.#row = batched(undefined, (all) => rowsOf(reader, layout, all, 'all'));
    this.#shape = batched(undefined, (all) => rowsOf(reader, layout, all, 'triggers'));
    this.#end = batched(undefined, (all) => endsOf(reader, layout, all));
    this.#writes = batched([], (all) => writesOf(reader, all));
    this.#totals = batched(NO_WRITES, (all) => writeTotals(reader, all));
    this.#tasks = batched([], (all) => tasksOf(reader, all));
    this.#mentions = oneByOne([], (about) => mentionsOf(reader, layout, about));
    this.#children = batched([], (all) => childrenOf(reader, layout, all));
    this.#find = oneByOne([], (id) => placesOfId(reader, layout, id));
    this.#stored = oneByOne(undefined, (about) => storedOf(reader, layout, about));
    this.#named = oneByOne([], (part) => blobsNamed(reader, layout, part));
    this.#blobs = oneByOne(NO_BLOBS, (thread) => blobFacts(reader, layout, thread));
  }

  /** Marks tell of every commit. */
  async version(): Promise<Version> {
    const sql = 'SELECT txid_current_snapshot()::text AS version';
    const [row] = await this.#reader.query<{ version: string }>(sql);
    return { commit: row?.version, saved: row?.version };
  }

  threads(): Promise<readonly ThreadRow[]> {
    return allThreads(this.#reader, this.#layout);
  }

  async thread(thread: string): Promise<ThreadRow | undefined> {
    const facts = await this.#facts(thread);
    return facts === undefined || facts.count + facts.writes === 0 ? undefined : { id: thread, ...facts };
  }

  mark(thread: string): Promise<string> {
    return this.#mark(thread);
  }

  async bytes(thread: string): Promise<number> {
    return (await this.#facts(thread))?.bytes ?? 0;
  }

  async otherTypes(thread: string): Promise<number> {
    return (await this.#facts(thread))?.otherTypes ?? 0;
  }

  async writeCount(thread: string): Promise<number> {
    return (await this.#facts(thread))?.writes ?? 0;
  }

  suspects(thread: string): Promise<readonly Key[]> {
    return this.#suspects(thread);
  }

  older(thread: string, from: Key | undefined, limit: number): Promise<readonly Key[]> {
    return this.#keys([thread, 'older', from === undefined ? null : { ns: from.ns, id: from.id }, limit]);
  }

  newer(thread: string, from: Key, limit: number): Promise<readonly Key[]> {
    return this.#keys([thread, 'newer', { ns: from.ns, id: from.id }, limit]);
  }

  keys(thread: string): Promise<readonly Key[]> {
    return this.#keys([thread, 'newer', null, null]);
  }

  async newest(thread: string, ns: string, before = ''): Promise<string | undefined> {
    const [id] = await this.#newest([thread, ns, before]);
    return id;
  }

  place(thread: string, key: Key): Promise<number> {
    return this.#place(asked(thread, key));
  }

  async summaries(thread: string, keys: readonly Key[]): Promise<readonly RowSummary[]> {
    const rows = await Promise.all(keys.map((key) => this.#summary(asked(thread, key))));
    return rows.filter((row) => row !== undefined);
  }

  outlines(thread: string, keys: readonly Key[]): Promise<readonly StoredOutline[]> {
    return outlinesOf(this.#reader, this.#layout, thread, keys);
  }

  row(thread: string, key: Key): Promise<FullRow | undefined> {
    return this.#row(asked(thread, key));
  }

  /** The column `checkpoint` alone, as the server writes it. */
  stored(thread: string, key: Key): Promise<Uint8Array | undefined> {
    return this.#stored(asked(thread, key));
  }

  shapeRow(thread: string, key: Key): Promise<FullRow | undefined> {
    return this.#shape(asked(thread, key));
  }

  ancestors(thread: string, { ns, parent }: FullRow, channels: readonly string[]): Promise<readonly FullRow[]> {
    return ancestorsOf(this.#reader, this.#layout, [thread, ns, parent, channels]);
  }

  ends(thread: string, keys: readonly Key[]): Promise<readonly (Uint8Array | undefined)[]> {
    return Promise.all(keys.map((key) => this.#end(asked(thread, key))));
  }

  writes(thread: string, key: Key, channel: string): Promise<readonly WriteRow[]> {
    return this.#writes([asked(thread, key), channel]);
  }

  allWrites(thread: string, key: Key, largest: number, limit: number): Promise<readonly PendingRow[]> {
    return pendingOf(this.#reader, [asked(thread, key), largest, limit]);
  }

  tasksOf(thread: string, key: Key): Promise<readonly TaskRow[]> {
    return this.#tasks(asked(thread, key));
  }

  writesOf(thread: string, key: Key): Promise<WriteTotals> {
    return this.#totals(asked(thread, key));
  }

  writeCounts(thread: string): Promise<readonly (Key & { readonly count: number })[]> {
    return writeCountsOf(this.#reader, thread);
  }

  failed(thread: string): Promise<readonly Key[]> {
    return failuresOf(this.#reader, thread);
  }

  mentions(thread: string, id: string): Promise<readonly (Key & { readonly metadata: string })[]> {
    return this.#mentions([thread, id]);
  }

  lasting(thread: string, upTo: string | undefined): Promise<readonly Key[]> {
    return lastingOf(this.#reader, this.#layout, [thread, upTo ?? null]);
  }

  hasDeltas(thread: string): Promise<boolean> {
    return hasDeltasIn(this.#reader, this.#layout, thread);
  }

  children(thread: string, keys: readonly Key[]): Promise<readonly (readonly string[])[]> {
    return Promise.all(keys.map((key) => this.#children(asked(thread, key))));
  }

  find(id: string): Promise<readonly { readonly thread: string; readonly ns: string }[]> {
    return this.#find(id);
  }

  /** The blobs that these checkpoints name, and of each whether a checkpoint beside them does too. */
  blobsNamed(thread: string, keys: readonly Key[]): Promise<readonly NamedBlob[]> {
    return this.#named([thread, keys.map(({ ns, id }) => [ns, id])]);
  }

  blobFacts(thread: string): Promise<BlobFacts> {
    return this.#blobs(thread);
  }

  /** How a value of the root graph is stored; `undefined` where there is none. */
  typeOfBlob(...name: BlobName): Promise<string | undefined> {
    return typeOfBlob(this.#reader, name);
  }

  /** A value of the root graph, as stored. */
  blobOf(...name: BlobName): Promise<StoredBlob | undefined> {
    return blobOf(this.#reader, name);
  }
}
