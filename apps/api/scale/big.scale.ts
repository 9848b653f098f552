import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { largeText } from '../src/testing/text.ts';
import { quantile, startCommand, type Command } from './support/command.ts';

const SIZE = 100_000_000;
const LIST_P99_MS = 300;
const MOST_MEMORY = 1.2 * 2 ** 30;
const ROWS = 500;

const folder = mkdtempSync(join(tmpdir(), 'scale-big-'));
const path = join(folder, 'agents.db');
let command: Command;
let length = 0;
beforeAll(async () => {
  const store = await openSqliteStore({ path });
  for (let n = 0; n < ROWS; n++) await store.save({ task: 'run', id: `small-${n}`, text: `{"n":${n}}` });
  const text = largeText(SIZE);
  ({ length } = text);
  await store.save({ task: 'run', id: 'huge', text });
  await store.save({ task: 'run', id: 'before', text: largeText(18_000_000) });
  await store.save({ task: 'run', id: 'after', text: largeText(18_000_000, 'again') });
  await store.close();
  command = await startCommand([path], join(folder, 'state'));
});
afterAll(async () => {
  await command.stop();
  rmSync(folder, { recursive: true, force: true });
});

const state = (id: string, rest: string): Promise<Response> =>
  command.get(`stores/agents-db/checkpoints/${id}/${rest}`);

/** Opens the 100 MB state as a page does, looks around in it, and compares two of 18 MB. */
async function work(): Promise<void> {
  await (await command.get('stores/agents-db/checkpoints/huge')).json();
  for (let n = 0; n < 20; n++) await (await state('huge', `state?path=$.messages&offset=${n * 4_000}`)).json();
  for (const words of ['m-90000"', 'nowhere to be found'])
    await (await state('huge', `state/find?text=${encodeURIComponent(words)}`)).json();
  let read = 0;
  for await (const chunk of (await state('huge', 'state')).body ?? []) read += chunk.length;
  expect(read).toBe(length);
  await (await state('huge', 'raw')).arrayBuffer();
  const diff = await command.get('diff?a=agents-db/run/before&b=agents-db/run/after');
  expect(((await diff.json()) as { items: unknown[] }).items).toHaveLength(1);
}

it('S47 while a state of 100 MB is open, lists answer within 300 ms and memory stays under 1.2 GiB', async () => {
  const list = async (): Promise<number> => {
    const started = performance.now();
    await (await command.get('stores/agents-db/tasks/run/checkpoints?limit=100&summary=1')).json();
    return performance.now() - started;
  };
  for (let n = 0; n < 5; n++) await list();
  const idle = await list();

  const times: number[] = [];
  let most = 0;
  const done = new AbortController();
  const looking = (async () => {
    while (!done.signal.aborted) {
      times.push(await list());
      most = Math.max(most, command.memory());
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  const started = performance.now();
  await work();
  await work();
  done.abort();
  await looking;
  const refused = await command.get('diff?a=agents-db/run/huge&b=agents-db/run/after');
  console.log(
    `measured: 100 MB state open: ${times.length} lists in ${Math.round(performance.now() - started)} ms, p50 ${Math.round(quantile(times, 0.5))} ms, p99 ${Math.round(quantile(times, 0.99))} ms (idle ${Math.round(idle)} ms), memory at most ${Math.round(most / 2 ** 20)} MiB`,
  );
  expect(times.length).toBeGreaterThan(20);
  expect(quantile(times, 0.99)).toBeLessThan(LIST_P99_MS);
  expect(most).toBeLessThan(MOST_MEMORY);
  expect(refused.status).toBe(413);
});
