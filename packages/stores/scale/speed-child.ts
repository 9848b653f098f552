/** A process that saves a run to PostgreSQL and says how long it took, in milliseconds: node speed-child.mjs '{"url", …}'. */
import { ours, saver } from './postgres-sides.ts';
import { workload, type AgentState } from './workload.ts';

export interface SpeedOrder {
  readonly url: string;
  readonly side: 'langgraph' | 'value' | 'immutable';
  readonly task: string;
  readonly seed: number;
  readonly steps: number;
}

const { url, side, task, seed, steps }: SpeedOrder = JSON.parse(process.argv[2] ?? '');
const opened =
  side === 'langgraph'
    ? await saver(url, task)
    : await ours(url, 'processes', { immutable: side === 'immutable', task });
const all = [...workload(seed, steps)];
const states = new Map<string, AgentState>();
const start = performance.now();
for (const step of all) {
  await opened.save(step, states.get(step.parent ?? ''));
  states.set(step.id, step.state);
}
process.stdout.write(`${performance.now() - start}\n`);
await opened.close();
