/** Runs in the systems that keep their checkpoints in SQLite. */
import { join } from 'node:path';
import { openSqlite, type SqliteDatabase, type SqlRow } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { openCheckpointDatabase } from '@checkpoint-inspector/apis/ctx-sys';
import { insertCheckpoint } from '@checkpoint-inspector/systems/ctx-sys';
import { LANGGRAPH_DDL, langgraphRow, langgraphWrite, newerId } from '@checkpoint-inspector/systems/langgraph';
import { STATE_MARK, timeAt, withState, type StoredCase, type Writing } from './types.ts';

export async function toNative({ folder, task, steps }: Writing): Promise<StoredCase> {
  const path = join(folder, 'checkpoints.sqlite');
  const store = await openSqliteStore({ path });
  for (const [nth, { id, parent, status, description, text, agentId, error }] of steps.entries()) {
    // The store has no field for an error: agents save it as the description of the failed step.
    const words = error ?? description;
    await store.save({
      id,
      task,
      text,
      status,
      stepIndex: nth,
      trigger: status === 'failed' ? 'error' : 'auto',
      createdAt: timeAt(nth).toISOString(),
      ...(parent === undefined ? {} : { parent: { task, id: parent } }),
      ...(words === undefined ? {} : { description: words }),
      ...(agentId === undefined ? {} : { agentId }),
    });
  }
  await store.close();
  return { path, task, ids: new Map(steps.map(({ id }) => [id, id])), places: [[]] };
}

/** The last group of an id is drawn again at each save. */
const RANDOM_NODE = /[0-9a-f]{12}$/;

/** Each key of the state is a channel. */
export async function toLangGraph({ folder, task, steps }: Writing): Promise<StoredCase> {
  const path = join(folder, 'langgraph.sqlite');
  const db = openSqlite(path, { readOnly: false, create: true });
  db.pragma('journal_mode = WAL');
  db.exec(LANGGRAPH_DDL);
  const ids = new Map<string, string>();
  const seen = new Map<string, Record<string, Record<string, number>>>();
  let newest: string | undefined;
  for (const [nth, { id, parent, description = 'node', text, error }] of steps.entries()) {
    newest = newerId(newest, nth, timeAt(nth)).id.replace(RANDOM_NODE, '5eed5eed5eed');
    ids.set(id, newest);
    seen.set(id, {
      ...(parent === undefined ? {} : seen.get(parent)),
      [description]: { [`branch:to:${description}`]: nth + 1 },
    });
    const before = parent === undefined ? undefined : ids.get(parent);
    const row = langgraphRow({
      thread: task,
      id: newest,
      ...(before === undefined ? {} : { parent: before }),
      ts: timeAt(nth).toISOString(),
      source: before === undefined ? 'input' : 'loop',
      step: nth - 1,
      values: { state: STATE_MARK },
      seen: seen.get(id) ?? {},
    });
    insert(db, 'checkpoints', { ...row, checkpoint: withChannels(row['checkpoint'], text) });
    if (error !== undefined) insert(db, 'writes', errorWrite(task, newest, error));
  }
  db.close();
  return { path, task, ids, places: [[]] };
}

/** The state in place of all channels. */
function withChannels(bytes: unknown, text: string): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw new Error('A checkpoint is stored as bytes.');
  const document = new TextDecoder().decode(bytes);
  const channels = document.replace(`{"state":"${STATE_MARK}"}`, `"${STATE_MARK}"`);
  return new TextEncoder().encode(withState(channels, text));
}

function errorWrite(thread: string, id: string, message: string): SqlRow {
  const taskId = '8f4b2c1e-0000-5000-8000-000000000001';
  const value = { name: 'Error', message };
  return langgraphWrite({ thread, id, taskId, idx: -1, channel: '__error__', value });
}

function insert(db: SqliteDatabase, table: string, row: SqlRow): void {
  const names = Object.keys(row);
  const marks = names.map(() => '?').join(', ');
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row));
}

/** The state is the run's `context`; parents are told by step numbers alone, so that forks cannot be kept apart. */
export async function toCtxSys({ folder, task, steps, branch }: Writing): Promise<StoredCase> {
  const path = join(folder, 'ctx-sys.db');
  const database = openCheckpointDatabase({ path });
  const ids = new Map<string, string>();
  for (const [nth, { id, status, description = '', text, error }] of branch.entries()) {
    const plan = branch.map((one, at) => ({
      id: `s${at}`,
      description: one.description ?? '',
      action: 'run',
      parameters: {},
      status: at < nth ? 'completed' : at > nth ? 'pending' : status === 'failed' ? 'failed' : 'completed',
    }));
    const lastError =
      error === undefined ? {} : { lastError: { stepIndex: nth, message: error, timestamp: timeAt(nth) } };
    const state = { query: task, plan, currentStepIndex: nth + 1, results: [], context: STATE_MARK, ...lastError };
    const row = {
      session: task,
      project: 'project',
      step: nth + 1,
      state: withState(JSON.stringify(state), text),
      description,
      trigger: status === 'failed' ? 'error' : 'auto',
    };
    ids.set(id, insertCheckpoint(database, row, { maxCheckpointsPerSession: 1_000 }).id);
  }
  database.close();
  return { path, task, ids, places: [['context']], ...leftOut(steps, branch, 'ctx-sys stores no parents') };
}

export const leftOut = (steps: Writing['steps'], branch: Writing['branch'], why: string): { left?: string } =>
  steps.length === branch.length ? {} : { left: `${why}, so forks are left out` };
