import { mkdirSync, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';
import { storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../src/kaizen/fixtures/open.ts';
import { kaizenDocument } from '../src/kaizen/fixtures/write.ts';
import { KaizenSource } from '../src/kaizen/index.ts';
import { createRegistry, foreignSystems } from '../src/registry.ts';

const AGENTS = 2;
const ROUNDS = 30;
const SIZES = [1_000, 10_000, 50_000, 100_000];

/** A Kaizen folder, written an hour ago. */
async function folderOf(files: number, words = ''): Promise<string> {
  const folder = join(await temporaryFolder(), 'checkpoints');
  mkdirSync(folder);
  for (let n = 0; n < files; n++) {
    const id = `ckpt_${n.toString(16).padStart(12, '0')}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString().replace('Z', '+00:00');
    const history = [{ role: 'user', content: `${words}message ${n}` }];
    const agent = `agent_${n % AGENTS}`;
    const text = kaizenDocument({ checkpoint_id: id, agent_id: agent, timestamp, conversation_history: history });
    writeFileSync(join(folder, `${id}.jsonl`), `${text}\n`);
    const time = new Date(Date.now() - 3_600_000 + n);
    await utimes(join(folder, `${id}.jsonl`), time, time);
  }
  return folder;
}

async function kaizenOf(folder: string): Promise<CheckpointSource> {
  const source = await KaizenSource.open({ folder, id: storeId('kaizen'), label: 'kaizen', location: folder });
  onTestFinished(() => source.close());
  onTestFinished(source.watch(() => undefined));
  return source;
}

/** Processor milliseconds. */
async function cpuOf<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, value };
}

/** Ten calls each, the best of a few tries in turn. */
async function costs(works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const best = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, work] of works.entries()) {
      const { ms } = await cpuOf(async () => {
        for (let call = 0; call < 10; call++) await work();
      });
      best[at] = Math.min(best[at] ?? ms, ms);
    }
  }
  return best;
}

function heapMb(): number {
  v8.setFlagsFromString('--expose-gc');
  const collect: unknown = vm.runInNewContext('gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed / 1e6;
}

const row = (name: string, values: readonly number[]): string =>
  name.padEnd(26) + values.map((value) => value.toFixed(1).padStart(10)).join('');

it('gives a page and a state of a Kaizen folder of 50,000 files for at most twice what they cost at 1,000', async () => {
  const works = {
    page: (source: CheckpointSource) => source.checkpoints('agent_0'),
    state: (source: CheckpointSource) => source.state({ task: 'agent_0', id: 'ckpt_000000000010' }),
  };
  const sources = [];
  for (const size of SIZES) sources.push(await kaizenOf(await folderOf(size)));
  const table = [row('ms of ten calls, files', SIZES)];
  for (const [name, work] of Object.entries(works)) {
    for (const source of sources) await work(source);
    const [few = 0, ...others] = await costs(sources.map((source) => () => work(source)));
    table.push(row(name, [few, ...others]));
    for (const many of others) expect(many / few, table.join('\n')).toBeLessThan(2);
  }
  console.info(table.join('\n'));
}, 900_000);

it('has the first page of 50,000 files in a second of processor time, and all of them again from what it kept', async () => {
  const folder = await folderOf(50_000, 'w'.repeat(1_000));
  const start = async (stateFolder: string) => {
    const { ms, value: source } = await cpuOf(async () => {
      const registry = createRegistry(foreignSystems);
      const [found] = await registry.open(folder, { label: 'k', location: folder, nameStore: storeId, stateFolder });
      await found?.tasks({ partial: true });
      await found?.checkpoints('agent_0', { partial: true });
      return found;
    });
    return { ms, source, n: source?.info.indexed.n };
  };
  /** The best of three: the first one also loads modules and compiles code. */
  const firstOf = async (stateFolder: () => Promise<string>): Promise<number> => {
    const tries: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const { ms, source, n } = await start(await stateFolder());
      expect(n).toBeLessThan(50_000);
      await source?.close?.();
      tries.push(ms);
    }
    return Math.min(...tries);
  };
  const kept = await temporaryFolder();
  const cold = await firstOf(temporaryFolder);
  const before = heapMb();
  const { source } = await start(kept);
  const read = await cpuOf(async () => source?.tasks());
  const held = heapMb() - before;
  await source?.close?.();
  const warm = await firstOf(async () => kept);
  const again = await start(kept);
  const recalled = await cpuOf(async () => again.source?.tasks());
  await again.source?.close?.();
  const table = [
    row('cpu ms to the first page', [cold, warm]),
    row('cpu ms from there to all', [read.ms, recalled.ms]),
    row('MB of heap', [held]),
  ].join('\n');
  console.info(table);
  expect(cold, table).toBeLessThan(1_000);
  expect(warm, table).toBeLessThan(1_000);
  expect(recalled.ms / read.ms, table).toBeLessThan(0.6);
  expect(held, table).toBeLessThan(150);
}, 900_000);

it('keeps the text of no document in memory', async () => {
  const before = heapMb();
  const source = await kaizenOf(await folderOf(1_000, 'w'.repeat(100_000)));
  await source.tasks();
  expect(heapMb() - before).toBeLessThan(20);
}, 300_000);
