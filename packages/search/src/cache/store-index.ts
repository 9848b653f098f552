import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { Chain } from './chain.ts';
import { createDocuments, type Documents } from './documents.ts';
import { STATE } from './schema.ts';
import { createTexts } from './texts.ts';
import type { IndexCounts, NewText, PendingDocument, StoreIndex } from './types.ts';
import { PlaceWriter } from './writer.ts';

/** Spans kept open over all tasks; those of tasks that were not written to for longest are released. */
const MOST_OPEN_SPANS = 300_000;

const KEPT_AT_ONCE = 5_000;

interface Writing {
  readonly doc: number;
  readonly writer: PlaceWriter;
}

/** What the stores of one database share. */
export interface IndexParts {
  readonly db: SqliteDatabase;
  readonly documents: Documents;
  readonly texts: ReturnType<typeof createTexts>;
  readonly chains: Map<number, Chain>;
  /** Documents of which a part is written. */
  readonly writing: Map<number, Writing>;
  readonly upkeep: Upkeep;
}

interface Upkeep {
  readonly tidy: () => boolean;
  /** @throws InspectorError disk_full */
  readonly checkRoom: () => void;
}

export function createParts(db: SqliteDatabase, upkeep: Upkeep): IndexParts {
  return { db, documents: createDocuments(db), texts: createTexts(db), chains: new Map(), writing: new Map(), upkeep };
}

export function createStoreIndex(parts: IndexParts, store: number): StoreIndex {
  const { db, documents, upkeep } = parts;
  const tasks = createTasks(db, store);
  const listings = new Map<string, Listing>();
  return {
    beginList: (task) => void listings.set(task, { docs: new Set(), after: 0 }),
    list: (task, page) => {
      upkeep.checkRoom();
      const listed = listings.get(task)?.docs;
      return db.transaction(() => {
        const id = tasks.ensure(task);
        let added = 0;
        let newest = 0;
        for (const meta of page) {
          const placed = documents.put(id, meta);
          listed?.add(placed.doc);
          if (placed.added) added += 1;
          const time = meta.createdAt === undefined ? 0 : Date.parse(meta.createdAt);
          if (time > newest) newest = time;
        }
        if (newest > 0) tasks.setNewest(id, newest);
        return added;
      });
    },
    endList: (task) => {
      const [id, listing] = [tasks.find(task), listings.get(task)];
      const isDone = id === undefined || listing === undefined || endSome(parts, id, listing);
      if (isDone) listings.delete(task);
      return isDone;
    },
    tasks: () => tasks.names(),
    dropTask: (task) => db.transaction(() => dropTask(parts, tasks.find(task))),
    waiting: (most) => {
      const waiting: PendingDocument[] = [];
      for (const { id, task } of tasks.waiting(most)) {
        if (waiting.length >= most) break;
        waiting.push(...documents.waiting(id, task, most - waiting.length));
      }
      return waiting;
    },
    write: (texts, sliceMs) => {
      upkeep.checkRoom();
      const until = performance.now() + sliceMs;
      try {
        return db.transaction(() => write(parts, texts, { taskOf: tasks.find, until }));
      } catch (error) {
        // What memory holds of this work was rolled back in the database.
        parts.chains.clear();
        parts.writing.clear();
        parts.texts.forget();
        throw error;
      }
    },
    setUnread: (doc, state, reason) => db.transaction(() => documents.setState(doc, STATE[state], reason)),
    drop: (doc) => db.transaction(() => documents.drop(doc)),
    counts: () => readCounts(db, store),
    tidy: upkeep.tidy,
  };
}

/** What was listed of a task, and how far the rest is forgotten. */
interface Listing {
  readonly docs: Set<number>;
  after: number;
}

function createTasks(db: SqliteDatabase, store: number) {
  const find = db.prepare<{ id: number }>('SELECT id FROM tasks WHERE store = ? AND task = ?');
  const add = db.prepare('INSERT INTO tasks (store, task) VALUES (?, ?)');
  const names = db.prepare<{ task: string }>('SELECT task FROM tasks WHERE store = ?');
  const setNewest = db.prepare('UPDATE tasks SET newest_ms = max(newest_ms, ?) WHERE id = ?');
  const waiting = db.prepare<{ id: number; task: string }>(
    `SELECT t.id, t.task FROM tasks t JOIN counts c ON c.task = t.id AND c.state = ${STATE.pending} AND c.n > 0
     WHERE t.store = ? ORDER BY t.newest_ms DESC, t.id LIMIT +?`,
  );
  const idOf = (task: string): number | undefined => find.get(store, task)?.id;
  return {
    find: idOf,
    ensure: (task: string): number => idOf(task) ?? Number(add.run(store, task).lastInsertRowid),
    names: () => names.all(store).map(({ task }) => task),
    setNewest: (id: number, ms: number) => void setNewest.run(ms, id),
    waiting: (most: number) => waiting.all(store, most),
  };
}

/** Forgets some of what a listing does not have; true when it is through. */
function endSome({ db, documents }: IndexParts, task: number, listing: Listing): boolean {
  if (listing.after === 0 && documents.count(task) === listing.docs.size) return true;
  return db.transaction(() => {
    const some = documents.after(task, listing.after, KEPT_AT_ONCE);
    for (const doc of some) if (!listing.docs.has(doc)) documents.drop(doc);
    listing.after = some.at(-1) ?? listing.after;
    return some.length < KEPT_AT_ONCE;
  });
}

function dropTask({ db, documents, chains }: IndexParts, task: number | undefined): void {
  if (task === undefined) return;
  documents.dropTask(task);
  chains.delete(task);
  db.prepare('DELETE FROM counts WHERE task = ?').run(task);
  db.prepare('DELETE FROM tasks WHERE id = ?').run(task);
}

interface Slice {
  readonly taskOf: (task: string) => number | undefined;
  /** Of `performance.now()`. */
  readonly until: number;
}

function write(parts: IndexParts, texts: readonly NewText[], { taskOf, until }: Slice): number {
  const isLate = () => performance.now() >= until;
  let finished = 0;
  let open: (TaskChain & { readonly name: string }) | undefined;
  for (const text of texts) {
    if (finished > 0 && isLate()) break;
    if (open?.name !== text.task) {
      open?.chain.flush();
      const task = taskOf(text.task);
      open = task === undefined ? undefined : { name: text.task, task, chain: openChain(parts, task) };
    }
    if (open !== undefined && !writeOne(parts, open, text, isLate)) break;
    finished += 1;
  }
  open?.chain.flush();
  return finished;
}

interface TaskChain {
  readonly task: number;
  readonly chain: Chain;
}

function writeOne(parts: IndexParts, { task, chain }: TaskChain, text: NewText, isLate: () => boolean): boolean {
  const { documents, texts, writing } = parts;
  const { doc } = text;
  const open = writing.get(task);
  if (open?.doc !== doc) chain.begin(doc, documents.before(task, doc));
  const writer = open?.doc === doc ? open.writer : new PlaceWriter(chain, texts, text);
  const end = writer.step(isLate);
  if (end === undefined) {
    writing.set(task, { doc, writer });
    documents.setState(doc, STATE.writing, undefined);
    return false;
  }
  writing.delete(task);
  documents.setState(doc, STATE[end.state], end.reason);
  return true;
}

/** The task's chain, as the youngest of all; old ones are released. */
function openChain({ db, chains }: IndexParts, task: number): Chain {
  const chain = chains.get(task) ?? new Chain(db, task);
  chains.delete(task);
  chains.set(task, chain);
  let open = 0;
  for (const one of chains.values()) open += one.size;
  for (const [old, one] of chains) {
    if (open <= MOST_OPEN_SPANS || old === task) break;
    open -= one.size;
    chains.delete(old);
  }
  return chain;
}

/** What waits is of the whole, but in no other count. */
function readCounts(db: SqliteDatabase, store: number): IndexCounts {
  const sql =
    'SELECT c.state, sum(c.n) AS n FROM tasks t JOIN counts c ON c.task = t.id WHERE t.store = ? GROUP BY c.state';
  const rows = db.prepare<{ state: number; n: number }>(sql).all(store);
  const of = (state: number) => rows.find((row) => row.state === state)?.n ?? 0;
  return {
    of: rows.reduce((sum, { n }) => sum + n, 0),
    indexed: of(STATE.indexed) + of(STATE.partly),
    partly: of(STATE.partly),
    locked: of(STATE.locked),
    unreadable: of(STATE.unreadable),
  };
}
