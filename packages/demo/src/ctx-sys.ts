import { openSqlite } from '@checkpoint-inspector/io';
import { CheckpointedExecutor, createCtxSysCheckpointManager } from '@checkpoint-inspector/apis/ctx-sys';
import type { PlanStep } from '@checkpoint-inspector/apis/ctx-sys';
import { ago } from './seeding.ts';

const PROJECT = 'nightly-jobs';

const step = (id: string, description: string, action: string, dependencies: string[] = []): PlanStep => ({
  id,
  description,
  action,
  parameters: {},
  status: 'pending',
  dependencies,
});

const PLAN: readonly PlanStep[] = [
  step('extract', 'Read the orders of the day', 'sql'),
  step('clean', 'Drop duplicates', 'script', ['extract']),
  step('convert', 'Convert to EUR', 'http', ['clean']),
  step('load', 'Write to the warehouse', 'sql', ['convert']),
];

const OUTPUTS: Readonly<Record<string, unknown>> = {
  extract: { rows: 18_204 },
  clean: { rows: 18_190, dropped: 14 },
  convert: { rows: 18_190, rate: 1.0824 },
  load: { rows: 18_190, table: 'orders_eur' },
};

/** One session that fails at its third step, and one that was resumed and finished. */
export async function seedCtxSys(path: string, now: Date): Promise<void> {
  const manager = await createCtxSysCheckpointManager({ path });
  try {
    const failing = new CheckpointedExecutor(manager, ({ id }) => {
      if (id === 'convert') throw new Error('API timeout after 12 s');
      return OUTPUTS[id];
    });
    const working = new CheckpointedExecutor(manager, ({ id }) => OUTPUTS[id]);
    await failing.execute('orders-monday', PROJECT, PLAN, { query: 'Load the orders of Monday' });
    await working.execute('orders-monday', PROJECT, PLAN, { resumeFromCheckpoint: true });
    await failing.execute('orders-tuesday', PROJECT, PLAN, { query: 'Load the orders of Tuesday' });
  } finally {
    manager.close();
  }
  fixDrawnValues(path, now);
}

interface Row {
  readonly rowid: number;
  readonly session_id: string;
  readonly state_json: string;
}

const FIRST_SECONDS_AGO = 26_000;
const STEP_SECONDS = 240;

/** The executor draws ids and looks at the clock; the demo's files are the same at every start. */
function fixDrawnValues(path: string, now: Date): void {
  const db = openSqlite(path, { readOnly: false });
  try {
    db.transaction(() => {
      const rows = db.prepare<Row>('SELECT rowid, session_id, state_json FROM checkpoints ORDER BY rowid').all();
      const update = db.prepare(
        'UPDATE checkpoints SET id = ?, created_at = ?, duration_ms = ?, state_json = ? WHERE rowid = ?',
      );
      for (const [at, row] of rows.entries()) {
        const time = ago(now, FIRST_SECONDS_AGO - at * STEP_SECONDS);
        const id = `ckpt_00000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`;
        update.run(id, time, 900 + at * 130, withFixedTimes(row.state_json, now), row.rowid);
      }
    });
    // Writes the pages again, so that their layout does not tell of the first values either.
    db.exec('VACUUM');
  } finally {
    db.close();
  }
}

/** Each step's time is its own, counted over the text. */
function withFixedTimes(text: string, now: Date): string {
  let nth = 0;
  return text
    .replaceAll(/"(completedAt|timestamp|startedAt|createdAt)":"[^"]*"/g, (_, name: string) => {
      nth += 1;
      return `"${name}":"${ago(now, FIRST_SECONDS_AGO - nth * STEP_SECONDS)}"`;
    })
    .replaceAll(/"durationMs":\d+/g, '"durationMs":840');
}
