import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';

interface Driver {
  readonly default: new (path: string) => {
    prepare(sql: string): { run(...values: readonly unknown[]): unknown };
    transaction(work: () => void): () => void;
    pragma(text: string): unknown;
    close(): void;
  };
}

const INSERT = `INSERT INTO checkpoints
  (task, id, text, state_hash, size_bytes, parent_task, parent_id, step_index, status, description, created_at,
   duration_ms, cost_usd)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

interface Row {
  readonly id: string;
  readonly parent?: string | undefined;
  readonly text: string;
  readonly step: number;
  readonly status: string;
  readonly what: string;
  readonly costUsd?: number;
  readonly durationMs?: number;
}

/** A native store with these checkpoints, written in one transaction. */
async function writeRows(path: string, task: string, rows: Iterable<Row>): Promise<void> {
  await (await openSqliteStore({ path })).close();
  const io = createRequire(resolve(import.meta.dirname, '../../packages/io/package.json'));
  const name = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3';
  const { default: Database } = (await import(io.resolve(name))) as Driver;
  const db = new Database(path);
  const insert = db.prepare(INSERT);
  let n = 0;
  db.transaction(() => {
    for (const { id, parent, text, step, status, what, costUsd = null, durationMs = null } of rows) {
      const hash = createHash('sha256').update(text).digest('hex');
      const from = parent === undefined ? [null, null] : [task, parent];
      const at = new Date(1_700_000_000_000 + n++ * 1_000).toISOString();
      insert.run(task, id, text, hash, Buffer.byteLength(text), ...from, step, status, what, at, durationMs, costUsd);
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** A native store of many small checkpoints; about one in 30 begins a fork. */
export async function writeManyCheckpoints(path: string, task: string, count: number): Promise<void> {
  let seed = 7;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
  const rows = Array.from({ length: count }, (_, n): Row => {
    const parent = n === 0 ? undefined : random() < 0.97 ? n - 1 : Math.max(0, n - 1 - Math.floor(random() * 200));
    return {
      id: `c-${n}`,
      text: `{"n":${n},"value":${(n * 7919) % 10_007}}`,
      parent: parent === undefined ? undefined : `c-${parent}`,
      step: n,
      status: n % 997 === 996 ? 'failed' : 'completed',
      what: `step ${n % 7}`,
    };
  });
  await writeRows(path, task, rows);
}

const PROMPTS = ['concise', 'two-pass', 'cite every figure', 'table first', 'quote sources', 'bullet points'];
const ERRORS = [
  'API timeout after 45 s',
  'The ranking contradicts the summary',
  'API timeout after 30 s',
  'No documents found',
];
const STEPS = ['plan', 'retrieve', 'draft', 'evaluate', 'rank', 'publish'];

/** A native store with a search over prompts, temperatures and seeds: so many lanes, main included. */
export async function writeSearch(path: string, task: string, lanes: number): Promise<void> {
  const stateOf = (lane: number, step: number, failed: boolean): string => {
    const [prompt, temperature] = [PROMPTS[lane % 6] ?? 'concise', (Math.floor(lane / 6) % 5) * 0.2 + 0.1];
    const seed = Math.floor(lane / 30);
    const params = { temperature: Number(temperature.toFixed(1)), seed };
    const state = { step, phase: STEPS[step % 6], prompt: { variant: step < 4 ? 'none' : prompt }, params };
    const message = ERRORS[Math.floor(lane / 7) % ERRORS.length];
    return JSON.stringify(failed ? { ...state, lastError: { message } } : state);
  };
  const rows: Row[] = [];
  for (let lane = 0; lane < lanes; lane++) {
    const length = lane === 0 ? 10 : lanes > 12 && lane % 3 === 2 ? 4 : 2 + (lane % 5);
    const from = lane === 0 ? undefined : lane % 4 === 3 ? 6 : 4;
    for (let at = 0; at < length; at++) {
      const step = lane === 0 ? at + 1 : (from ?? 0) + at + 1;
      const isTip = at === length - 1;
      const failed = isTip && lane % 7 === 5;
      rows.push({
        id: lane === 0 ? `m-${step}` : `l${lane}-${step}`,
        parent: at > 0 ? rows.at(-1)?.id : from === undefined ? undefined : `m-${from}`,
        text: stateOf(lane, step, failed),
        step,
        status: failed ? 'failed' : isTip && lane === 9 ? 'running' : 'completed',
        what: STEPS[step % 6] ?? '',
        costUsd: 0.01 + (lane % 9) / 500,
        durationMs: 900 + (lane % 11) * 120,
      });
    }
  }
  await writeRows(path, task, rows);
}
