import {
  InspectorError,
  sortedPage,
  type Capability,
  type CheckpointRef,
  type State,
  type StoreInfo,
  type Task,
  type TaskPage,
  type TaskQuery,
} from '@checkpoint-inspector/core';
import { realPath, sqliteSource, type SqliteRules, type SqliteSourceOptions } from '@checkpoint-inspector/io';
import type { Point } from './history.ts';
import { besideOf, latestOf, toLineageRow, toMeta, toTask, type Look } from './meta.ts';
import { planChange, restoreRefusal } from './plan.ts';
import { byUpdate, type Session } from './sessions.ts';
import { callValue, derivedWords, stateText, storedBytes, textsAt } from './state.ts';
import { OpencodeStore, type Origin } from './store.ts';
import { layoutOf } from './tables.ts';

/** Between so many sessions, others get their turn. */
const BREATH = 8;
const NO_DELETE =
  'A checkpoint here is a point in a conversation, and those after it are made of the same rows. Restore to go back, or delete the session in opencode.';

/** Ids and times, which differ between a session and its fork, and sums, which are those of the messages. */
const VOLATILE = [
  ...['id', 'slug', 'title', 'cost', 'time.**', 'tokens.**', 'summary', 'summary.**'].map(
    (path) => `$.session.${path}`,
  ),
  ...['id', 'sessionID', 'parentID', 'cost', 'time.**', 'tokens.**', 'summary', 'summary.**'].map(
    (path) => `$.messages.*.info.${path}`,
  ),
  ...['id', 'sessionID', 'messageID', 'callID', 'time.**', 'state.time.**'].map(
    (path) => `$.messages.*.parts.*.${path}`,
  ),
];

/** The sessions of one opencode database. @throws InspectorError no_store | unreadable | busy */
export const openOpencode = (options: SqliteSourceOptions) => sqliteSource(options.path, opencodeRules(options));

/** What is said of each of them. */
export function opencodeRules(options: SqliteSourceOptions): SqliteRules<OpencodeStore> {
  const { id, path, now = () => new Date() } = options;
  const lookAt = (store: OpencodeStore, session: Session): Look => ({
    session,
    history: store.history(session),
    now: now().getTime(),
  });
  /** What makes a row of a point of this session; `undefined` for an unknown one. */
  const rowsOf = (store: OpencodeStore, task: string) => {
    const session = store.session(task);
    if (session === undefined) return undefined;
    const look = lookAt(store, session);
    let origin: { readonly found: Origin | undefined } | undefined;
    const originOf = (): Origin | undefined => (origin ??= { found: store.origin(session) }).found;
    const toRow = (point: Point) => toMeta(id, look, point, point.place === 1 ? originOf() : undefined);
    return { history: look.history, toRow };
  };
  return {
    read: (database) => {
      const layout = layoutOf(database);
      if (layout) return new OpencodeStore(database, layout);
      throw new InspectorError('no_store', `${path} no longer has opencode's tables.`, { data: { path } });
    },
    info: (_, changeable) => infoOf(options, changeable()),
    tasks: (store, query) => tasksOf(store, query, (session) => toTask(id, lookAt(store, session))),
    checkpoints: (store, task, { around, ...query }) => {
      const rows = rowsOf(store, task);
      const order = rows?.history.order ?? [];
      const at = around && order.findIndex((point) => point.id === around.id && isIn(around, task));
      if (around && at === -1) throw notInSession(around);
      const page = sortedPage(order, {
        ...query,
        around: at,
        placeOf: (point) => ['point', point.id, String(point.place)],
        isAfter: ({ place }, [, , before]) => place < Number(before),
      });
      return { ...page, items: page.items.flatMap((point) => rows?.toRow(point) ?? []) };
    },
    lineage: (store, task) => {
      const rows = rowsOf(store, task);
      return (rows?.history.points ?? []).flatMap((point) => (rows ? toLineageRow(rows.toRow(point)) : []));
    },
    meta: (store, ref) => {
      const rows = ref.namespace ? undefined : rowsOf(store, ref.task);
      const point = rows?.history.byId.get(ref.id);
      return point && rows?.toRow(point);
    },
    state: stateOf,
    /** What is stored of the message or call that the checkpoint ends with. */
    raw: (store, ref) => {
      const found = store.point(ref);
      return found && storedBytes(store.database, ref.task, found.point);
    },
    latest: (store, task) => {
      const session = store.session(task);
      return session ? latestOf(lookAt(store, session)) : { basis: 'none' };
    },
    find: findIn,
    beside: (store, ref) => {
      const found = store.point(ref);
      return found && besideOf(found.point, (...keys) => callValue(store.database, ref.task, found.point, keys));
    },
    capability: (store, ref) => {
      const found = store.point(ref);
      const { problem } = found?.point.damaged ?? {};
      if (problem) return { restore: problem.message, fork: problem.message, edit: problem.message };
      const refusal = found && restoreRefusal(found);
      return refusal ? { restore: `${refusal.message} ${refusal.remedy}` } : {};
    },
    plan: (store, request, { capabilities }) => {
      const can = capabilities[request.kind];
      if (can !== true) throw new InspectorError('unsupported', can);
      return planChange({ store: id, path, opencode: store, now: now() }, request);
    },
  };
}

function infoOf({ id, label, location, path }: SqliteSourceOptions, change: Capability): Omit<StoreInfo, 'snapshot'> {
  return {
    id,
    system: 'opencode',
    label,
    location,
    identity: realPath(path),
    retention: 'After a revert, the next prompt deletes the messages that were reverted.',
    latestRule: 'the last message by its time and id, before the marker of a revert',
    volatilePaths: VOLATILE,
    indexed: { n: 1, of: 1 },
    capabilities: { restore: change, fork: change, edit: change, delete: NO_DELETE },
    notes: [
      'opencode records no parent for a fork. Where one is shown, its title and the times of its messages tell it.',
      'Accounts, credentials and share links in this database are never read.',
    ],
  };
}

/** Only the sessions of the page are looked into. */
async function tasksOf(
  store: OpencodeStore,
  { text = '', limit, cursor }: TaskQuery,
  toItem: (session: Session) => Task,
): Promise<TaskPage> {
  const wanted = text.toLowerCase();
  const has = (one: string): boolean => one.toLowerCase().includes(wanted);
  const sessions = store.sessions().filter((session) => has(session.id) || has(session.title));
  const page = sortedPage<Session>(sessions, {
    limit,
    cursor,
    placeOf: (session) => ['task', session.id, String(session.updated ?? 0)],
    isAfter: (session, [, id = '', updated]) => byUpdate(session, { id, updated: Number(updated) }) > 0,
  });
  const items: Task[] = [];
  for (const [at, session] of page.items.entries()) {
    if (at % BREATH === BREATH - 1) await new Promise((resume) => setImmediate(resume));
    items.push(toItem(session));
  }
  return { ...page, items, of: sessions.length };
}

function stateOf(store: OpencodeStore, ref: CheckpointRef): Omit<State, 'revision'> | undefined {
  const found = store.point(ref);
  if (found === undefined) return undefined;
  const { history, point } = found;
  const { session, messages } = textsAt(store.texts, ref.task, history.log, point);
  const list = messages.map(({ info, parts }) => ({ info, parts: parts.map(({ text }) => text) }));
  return { text: stateText(session, list), derived: derivedWords(history.log, point) };
}

/** By the row of the id; what opencode has deleted is only in the log of its session. */
function findIn(store: OpencodeStore, id: string): CheckpointRef[] {
  const own = (['message', 'part', 'event'] as const).flatMap((table) => store.sessionOf(table, id) ?? []);
  const sessions = new Set(own.length > 0 ? own : store.sessionsWithDeleted());
  return [...sessions].flatMap((session) => (store.history(session).byId.has(id) ? [{ task: session.id, id }] : []));
}

function notInSession(ref: CheckpointRef): InspectorError {
  return new InspectorError('not_found', `No checkpoint "${ref.id}" in session "${ref.task}".`, { data: { ...ref } });
}

const isIn = (ref: CheckpointRef, task: string): boolean => ref.task === task && !ref.namespace;
