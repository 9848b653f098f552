/** The history of a value over 10,000 checkpoints of 20 kB (ctx-sys: 1,000), against reading their states, interleaved. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPath } from '@checkpoint-inspector/core';
import { rngOf, type CaseStep, type Rng } from '@checkpoint-inspector/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { storeCase } from '../src/testing/stored-runs/index.ts';
import type { StoredSystem } from '../src/testing/stored-runs/types.ts';
import { openHistory } from '../src/history/lines.ts';
import { defaultRegistry } from '../src/stores/registry.ts';
import { createStoreService } from '../src/stores/service.ts';

const SYSTEMS = (process.env['SYSTEMS'] ?? 'native,langgraph,ctx-sys').split(',') as StoredSystem[];
const CHECKPOINTS = Number(process.env['CHECKPOINTS'] ?? 10_000);
const MESSAGES = 40;
const ROUNDS = 5;
const WARM_UP = 1;

const message = (rng: Rng, n: number) => ({
  id: `m${n}`,
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: Array.from({ length: 65 }, () => rng.int(0, 36 ** 5).toString(36)).join(' '),
});

/** The last messages of a long conversation; the plan changes now and then. */
function* steps(rng: Rng, count: number): Generator<CaseStep> {
  let messages = Array.from({ length: MESSAGES }, (_, n) => message(rng, n));
  let plan = { status: 'step 0' };
  for (let n = 0; n < count; n++) {
    messages = [...messages.slice(1), message(rng, MESSAGES + n)];
    if (n % 100 === 0) plan = { status: `step ${n}` };
    const text = JSON.stringify({ n, plan, messages });
    yield { id: `c${n}`, ...(n === 0 ? {} : { parent: `c${n - 1}` }), status: 'completed', text };
  }
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

it.each(SYSTEMS)(
  'costs a small multiple of reading the states: %s',
  async (system) => {
    // The plan in each of its states is as long as the run.
    const count = system === 'ctx-sys' ? CHECKPOINTS / 10 : CHECKPOINTS;
    const folder = mkdtempSync(join(tmpdir(), 'scale-history-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const run = {
      seed: 1,
      domain: 'history',
      steps: [...steps(rngOf('history scale', 1), count)],
    } as const;
    const stored = await storeCase(system, { ...run, head: `c${count - 1}` }, folder);
    const stores = createStoreService({ registry: defaultRegistry() });
    onTestFinished(() => stores.closeAll());
    const [info] = await stores.open(stored.path);
    if (info === undefined) throw new Error(`No store in ${system}.`);
    const source = stores.source(info.id);
    let bytes = 0;
    const read = async (): Promise<void> => {
      for (const one of stored.ids.values()) {
        const state = await source.state({ task: stored.task, id: one });
        bytes += Buffer.byteLength(state?.text ?? '');
      }
    };
    const path = formatPath([...(stored.places[0] ?? []), 'plan', 'status']);
    let found = 0;
    const history = async (): Promise<void> => {
      found = 0;
      for await (const { kind } of await openHistory(source, { task: stored.task, path }))
        if (kind === 'set' || kind === 'changed') found++;
    };
    const times: { history: number[]; read: number[] } = { history: [], read: [] };
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const [ours, theirs] = [await cpuMs(history), await cpuMs(read)];
      if (round < 0) continue;
      times.history.push(ours);
      times.read.push(theirs);
    }
    const ratio = median(times.history) / median(times.read);
    console.log(
      `measured: ${system}: history of a value over ${count} checkpoints ${median(times.history).toFixed(0)} ms, ` +
        `reading the states ${median(times.read).toFixed(0)} ms (${ratio.toFixed(2)}x)`,
    );
    expect(found).toBe(count / 100);
    expect(bytes).toBeGreaterThan(20_000 * count);
    expect(ratio).toBeLessThan(1.7);
  },
  900_000,
);
