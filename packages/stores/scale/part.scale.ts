/** A page of 50 messages of a state of 15 MB, against loading the state and taking a slice, interleaved. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rngOf } from '@checkpoint-inspector/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStore, type SqliteStore } from '../src/sqlite/index.ts';

const SEEDS = (process.env['SEEDS'] ?? '1,2,3').split(',').map(Number);
const ROUNDS = 31;
/** Code runs slowly until it has been compiled. */
const WARM_UP = 20;
const BYTES = 15_000_000;
const ref = { task: 't', id: 'a' };

function messagesOf(seed: number): object[] {
  const rng = rngOf('part scale', seed);
  const messages: object[] = [];
  for (let left = BYTES; left > 0;) {
    const words = Array.from({ length: rng.int(70, 600) }, () => rng.int(0, 36 ** 6).toString(36));
    const content = words.join(' ');
    messages.push({ id: `m${messages.length}`, role: 'tool', content });
    left -= content.length + 50;
  }
  return messages;
}

it.each(SEEDS)(
  'seed %d: a page of 50 messages of 15 MB',
  async (seed) => {
    const folder = mkdtempSync(join(tmpdir(), 'scale-part-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'store.db');
    const agent = await openSqliteStore({ path });
    const messages = messagesOf(seed);
    await agent.save({ ...ref, value: { step: 1, messages } });
    await agent.close();
    const offset = Math.floor(messages.length * 0.7);
    const expected = JSON.stringify(messages.slice(offset, offset + 50));
    const times = { page: [] as number[], slice: [] as number[] };
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const store = await openSqliteStore({ path, readOnly: true });
      const page = await timed(() => pageOf(store, offset), expected);
      if (round >= 0) times.page.push(page);
      if (round >= ROUNDS - 7) times.slice.push(await timed(() => sliceOf(store, offset), expected));
      await store.close();
    }
    const [page, slice] = [median(times.page), median(times.slice)];
    console.log(
      `measured: seed ${seed}: 50 of ${messages.length} messages, cold: ${page.toFixed(2)} ms; ` +
        `loaded and sliced ${slice.toFixed(0)} ms (${(slice / page).toFixed(0)}x)`,
    );
    expect(slice / page).toBeGreaterThan(100);
  },
  600_000,
);

const pageOf = async (store: SqliteStore, offset: number): Promise<string | undefined> =>
  (await store.part(ref, '$.messages', { offset, limit: 50 }))?.text;

async function sliceOf(store: SqliteStore, offset: number): Promise<string> {
  const state = JSON.parse((await store.state(ref))?.text ?? '') as { readonly messages: readonly object[] };
  return JSON.stringify(state.messages.slice(offset, offset + 50));
}

async function timed(work: () => Promise<string | undefined>, expected: string): Promise<number> {
  const start = performance.now();
  const text = await work();
  const time = performance.now() - start;
  expect(text === expected).toBe(true);
  return time;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
