import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointSource } from '@checkpoint-inspector/core';
import { expect, it, onTestFinished } from 'vitest';
import { openKaizen, temporaryFolder } from '../src/kaizen/fixtures/open.ts';
import { kaizenDocument } from '../src/kaizen/index.ts';

const AGENTS = 2;
const ROUNDS = 30;
const AT_ONCE = 200;

async function kaizenOf(files: number): Promise<CheckpointSource> {
  const folder = join(await temporaryFolder(), 'checkpoints');
  await mkdir(folder);
  const write = (n: number): Promise<void> => {
    const id = `ckpt_${n.toString(16).padStart(12, '0')}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString().replace('Z', '+00:00');
    const text = kaizenDocument({ checkpoint_id: id, agent_id: `agent_${n % AGENTS}`, timestamp });
    return writeFile(join(folder, `${id}.jsonl`), `${text}\n`);
  };
  for (let from = 0; from < files; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, files - from) }, (_, at) => write(from + at)));
  const source = await openKaizen(folder);
  onTestFinished(() => source.close());
  onTestFinished(source.watch(() => undefined));
  return source;
}

/** Processor milliseconds of the best of a few tries. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let call = 0; call < 10; call++) await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

it('gives a page and a state of a Kaizen folder of 50,000 files for at most twice what they cost at 1,000', async () => {
  const table: string[] = [];
  const [small, large] = [await kaizenOf(1_000), await kaizenOf(50_000)];
  const works = {
    page: (source: CheckpointSource) => source.checkpoints('agent_0'),
    state: (source: CheckpointSource) => source.state({ task: 'agent_0', id: 'ckpt_000000000010' }),
  };
  for (const [name, work] of Object.entries(works)) {
    await Promise.all([work(small), work(large)]);
    const [few, many] = [await cost(() => work(small)), await cost(() => work(large))];
    table.push(`${name}: ${few.toFixed(2)} ms at 1,000 files, ${many.toFixed(2)} at 50,000 (ten calls)`);
    expect(many / few, table.join('\n')).toBeLessThan(2);
  }
  console.info(table.join('\n'));
});
