import type { PostgresReader } from '@checkpoint-inspector/io';
import type { FullRow, Key, Queries, RowSummary, WriteRow } from '../queries.ts';
import { batched, inTurn, oneByOne } from './batched.ts';
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

/** With what only plans over PostgreSQL ask. */
export interface PostgresQueries extends Queries {
  /** The column `checkpoint` alone, as the server writes it. */
  stored(thread: string, key: Key): Promise<Uint8Array | undefined>;
  /** The blobs that these checkpoints name, and of each whether a checkpoint beside them does too. */
  blobsNamed(thread: string, keys: readonly Key[]): Promise<readonly NamedBlob[]>;
  blobFacts(thread: string): Promise<BlobFacts>;
  /** How a value of the root graph is stored; `undefined` where there is none. */
  typeOfBlob(...name: BlobName): Promise<string | undefined>;
  /** A value of the root graph, as stored. */
  blobOf(...name: BlobName): Promise<StoredBlob | undefined>;
}

const asked = (thread: string, { ns, id }: Key): Asked => [thread, ns, id];
const NO_BLOBS: BlobFacts = { count: 0, greatest: null, isBranched: false };

/** What LangGraph's rules ask of a PostgreSQL schema. Answers are of the reader's moment. */
export function postgresQueries(given: PostgresReader, layout: Layout): PostgresQueries {
  const reader = inTurn(given);
  const facts = batched<string, ThreadFacts | undefined>(undefined, (all) => threadFacts(reader, layout, all));
  const keys = oneByOne<Parameters<typeof keysOf>[2], readonly Key[]>([], (about) => keysOf(reader, layout, about));
  const newest = batched<Asked, readonly string[]>([], (all) => newestOf(reader, layout, all));
  const place = oneByOne<Asked, number>(0, (about) => placeOf(reader, layout, about));
  const summary = batched<Asked, RowSummary | undefined>(undefined, (all) => summariesOf(reader, layout, all));
  const row = batched<Asked, FullRow | undefined>(undefined, (all) => rowsOf(reader, layout, all, 'all'));
  const shape = batched<Asked, FullRow | undefined>(undefined, (all) => rowsOf(reader, layout, all, 'triggers'));
  const end = batched<Asked, Uint8Array | undefined>(undefined, (all) => endsOf(reader, layout, all));
  const writes = batched<readonly [Asked, string], readonly WriteRow[]>([], (all) => writesOf(reader, all));
  const totals = batched({ count: 0, plain: 0, bytes: 0 }, (all: readonly Asked[]) => writeTotals(reader, all));
  const tasks = batched<Asked, readonly TaskRow[]>([], (all) => tasksOf(reader, all));
  const children = batched<Asked, readonly string[]>([], (all) => childrenOf(reader, layout, all));
  const stored = oneByOne<Asked, Uint8Array | undefined>(undefined, (about) => storedOf(reader, layout, about));
  const named = oneByOne<Part, readonly NamedBlob[]>([], (part) => blobsNamed(reader, layout, part));
  const mentions = oneByOne<readonly [string, string], readonly (Key & { readonly metadata: string })[]>([], (about) =>
    mentionsOf(reader, layout, about),
  );
  const pageOf = (thread: string, order: 'older' | 'newer', from: Key | undefined, limit: number | null) =>
    keys([thread, order, from === undefined ? null : { ns: from.ns, id: from.id }, limit]);
  return {
    version: async () => {
      const sql = 'SELECT txid_current_snapshot()::text AS version';
      const [found] = await reader.query<{ version: string }>(sql);
      // Marks tell of every commit.
      return { commit: found?.version, saved: found?.version };
    },
    threads: () => allThreads(reader, layout),
    thread: async (thread) => {
      const found = await facts(thread);
      return found === undefined || found.count + found.writes === 0 ? undefined : { id: thread, ...found };
    },
    mark: batched('', (all) => threadPrints(reader, all)),
    bytes: async (thread) => (await facts(thread))?.bytes ?? 0,
    otherTypes: async (thread) => (await facts(thread))?.otherTypes ?? 0,
    writeCount: async (thread) => (await facts(thread))?.writes ?? 0,
    suspects: batched<string, readonly Key[]>([], (all) => suspectsOf(reader, layout, all)),
    older: (thread, from, limit) => pageOf(thread, 'older', from, limit),
    newer: (thread, from, limit) => pageOf(thread, 'newer', from, limit),
    keys: (thread) => pageOf(thread, 'newer', undefined, null),
    newest: async (thread, ns, before = '') => (await newest([thread, ns, before]))[0],
    place: (thread, key) => place(asked(thread, key)),
    summaries: async (thread, wanted) => {
      const rows = await Promise.all(wanted.map((key) => summary(asked(thread, key))));
      return rows.filter((one) => one !== undefined);
    },
    outlines: (thread, wanted) => outlinesOf(reader, layout, thread, wanted),
    row: (thread, key) => row(asked(thread, key)),
    stored: (thread, key) => stored(asked(thread, key)),
    shapeRow: (thread, key) => shape(asked(thread, key)),
    ancestors: (thread, { ns, parent }, channels) => ancestorsOf(reader, layout, [thread, ns, parent, channels]),
    ends: (thread, wanted) => Promise.all(wanted.map((key) => end(asked(thread, key)))),
    writes: (thread, key, channel) => writes([asked(thread, key), channel]),
    allWrites: (thread, key, largest, limit) => pendingOf(reader, [asked(thread, key), largest, limit]),
    tasksOf: (thread, key) => tasks(asked(thread, key)),
    writesOf: (thread, key) => totals(asked(thread, key)),
    writeCounts: (thread) => writeCountsOf(reader, thread),
    failed: (thread) => failuresOf(reader, thread),
    mentions: (thread, id) => mentions([thread, id]),
    lasting: (thread, upTo) => lastingOf(reader, layout, [thread, upTo ?? null]),
    hasDeltas: (thread) => hasDeltasIn(reader, layout, thread),
    children: (thread, wanted) => Promise.all(wanted.map((key) => children(asked(thread, key)))),
    find: oneByOne<string, { thread: string; ns: string }[]>([], (id) => placesOfId(reader, layout, id)),
    blobsNamed: (thread, wanted) => named([thread, wanted.map(({ ns, id }) => [ns, id])]),
    blobFacts: oneByOne(NO_BLOBS, (thread: string) => blobFacts(reader, layout, thread)),
    typeOfBlob: (...name) => typeOfBlob(reader, name),
    blobOf: (...name) => blobOf(reader, name),
  };
}
