import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { Chain } from './chain.ts';
import { createDocuments, type Documents } from './documents.ts';
import { STATE } from './schema.ts';
import { createTexts } from './texts.ts';
import type { IndexCounts, NewText, StoreIndex } from './types.ts';
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
}

export function createParts(db: SqliteDatabase): IndexParts {
  return { db, documents: createDocuments(db), texts: createTexts(db), chains: new Map(), writing: new Map() };
}

export function createStoreIndex(parts: IndexParts, store: number): StoreIndex {
  const { db, documents } = parts;
  const findTask = db.prepare<{ id: number }>('SELECT id FROM tasks WHERE store = ? AND task = ?');
  const addTask = db.prepare('INSERT INTO tasks (store, task) VALUES (?, ?)');
  const setNewest = db.prepare('UPDATE tasks SET newest_ms = max(newest_ms, ?) WHERE id = ?');
  const nextWaiting = db.prepare<{ task: string }>(
    `SELECT t.task FROM tasks t JOIN counts c ON c.task = t.id AND c.state = ${STATE.pending} AND c.n > 0
     WHERE t.store = ? ORDER BY t.newest_ms DESC, t.id LIMIT 1`,
  );
  const taskOf = (task: string): number | undefined => findTask.get(store, task)?.id;
  const ensureTask = (task: string): number => taskOf(task) ?? Number(addTask.run(store, task).lastInsertRowid);

  return {
    list: (task, page) =>
      db.transaction(() => {
        const id = ensureTask(task);
        const placed = page.map((meta) => documents.put(id, meta));
        const times = page.flatMap(({ createdAt }) => (createdAt === undefined ? [] : [Date.parse(createdAt)]));
        const newest = times.reduce((most, time) => (time > most ? time : most), 0);
        if (newest > 0) setNewest.run(newest, id);
        return { docs: placed.map(({ doc }) => doc), added: placed.filter(({ added }) => added).length };
      }),
    keepOnly: (task, docs, after = 0) =>
      db.transaction(() => {
        const id = taskOf(task);
        if (id === undefined || (after === 0 && documents.count(id) === docs.size)) return undefined;
        const some = documents.after(id, after, KEPT_AT_ONCE);
        for (const doc of some) if (!docs.has(doc)) documents.drop(doc);
        return some.length < KEPT_AT_ONCE ? undefined : some.at(-1);
      }),
    tasks: () => listTasks(db, store),
    dropTask: (task) => db.transaction(() => dropTask(parts, taskOf(task))),
    nextWaiting: () => nextWaiting.get(store)?.task,
    waiting: (task, most) => {
      const id = taskOf(task);
      return id === undefined ? [] : documents.waiting(id, task, most);
    },
    write: (task, texts, until) => {
      try {
        return db.transaction(() => write(parts, taskOf(task), texts, until));
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
  };
}

function listTasks(db: SqliteDatabase, store: number): string[] {
  const rows = db.prepare<{ task: string }>('SELECT task FROM tasks WHERE store = ?').all(store);
  return rows.map(({ task }) => task);
}

function dropTask({ db, documents, chains }: IndexParts, task: number | undefined): void {
  if (task === undefined) return;
  documents.dropTask(task);
  chains.delete(task);
  db.prepare('DELETE FROM counts WHERE task = ?').run(task);
  db.prepare('DELETE FROM tasks WHERE id = ?').run(task);
}

function write(parts: IndexParts, task: number | undefined, texts: readonly NewText[], until: number): number {
  if (task === undefined) return texts.length;
  const isLate = () => performance.now() >= until;
  const chain = openChain(parts, task);
  let finished = 0;
  for (const text of texts) {
    if (finished > 0 && isLate()) break;
    if (!writeOne(parts, { task, chain }, text, isLate)) break;
    finished += 1;
  }
  chain.flush();
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
