import { CheckpointedExecutor, createCtxSysCheckpointManager } from '@checkpoint-inspector/systems/ctx-sys';
import type { PlanStep } from '@checkpoint-inspector/systems/ctx-sys';

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
export async function seedCtxSys(path: string): Promise<void> {
  const manager = await createCtxSysCheckpointManager({ path });
  try {
    const failing = new CheckpointedExecutor(manager, ({ id }) => {
      if (id === 'convert') throw new Error('rate service: 503 after 3 tries');
      return OUTPUTS[id];
    });
    const working = new CheckpointedExecutor(manager, ({ id }) => OUTPUTS[id]);
    await failing.execute('orders-monday', PROJECT, PLAN, { query: 'Load the orders of Monday' });
    await working.execute('orders-monday', PROJECT, PLAN, { resumeFromCheckpoint: true });
    await failing.execute('orders-tuesday', PROJECT, PLAN, { query: 'Load the orders of Tuesday' });
  } finally {
    manager.close();
  }
}
