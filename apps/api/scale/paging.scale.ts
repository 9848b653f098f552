import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { quantile, startCommand, type Command } from './support/command.ts';
import { writeManyCheckpoints } from './support/many.ts';

const COUNT = 1_000_000;
const LIMIT = 100;

const folder = mkdtempSync(join(tmpdir(), 'scale-paging-'));
const path = join(folder, 'million.db');
let command: Command;
beforeAll(async () => {
  await writeManyCheckpoints(path, { task: 'run', count: COUNT });
  command = await startCommand([path], join(folder, 'state'));
});
afterAll(async () => {
  await command.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Listed {
  readonly items: readonly { readonly id: string; readonly seq: number }[];
  readonly cursor?: string;
}

async function timed(query: string, limit = LIMIT): Promise<{ page: Listed; ms: number }> {
  const started = performance.now();
  const answer = await command.get(`stores/million-db/tasks/run/checkpoints?limit=${limit}${query}`);
  const page = (await answer.json()) as Listed;
  return { page, ms: performance.now() - started };
}

it('S48 of 1,000,000 checkpoints the first page and page 10,000 come within 100 ms', async () => {
  await timed('');
  const first = await timed('');
  expect(first.page.items[0]).toMatchObject({ id: `c-${COUNT - 1}`, seq: COUNT });

  // The way down goes in larger steps; the last page is the 10,000th of a hundred rows.
  const times: number[] = [];
  let { cursor } = first.page;
  for (let left = COUNT - LIMIT; left > LIMIT;) {
    const step = Math.min(1_000, left - LIMIT);
    const next = await timed(`&cursor=${encodeURIComponent(cursor ?? '')}`, step);
    times.push(next.ms);
    left -= next.page.items.length;
    cursor = next.page.cursor;
  }
  const last = await timed(`&cursor=${encodeURIComponent(cursor ?? '')}`);
  expect(last.page.items).toHaveLength(LIMIT);
  expect(last.page.items.at(-1)).toMatchObject({ id: 'c-0', seq: 1 });
  expect(last.page.cursor).toBeUndefined();
  console.log(
    `measured: 1,000,000 checkpoints: first page ${Math.round(first.ms)} ms, page 10,000 ${Math.round(last.ms)} ms, pages of a thousand p99 ${Math.round(quantile(times, 0.99))} ms`,
  );
  expect(first.ms).toBeLessThan(100);
  expect(last.ms).toBeLessThan(100);
});
