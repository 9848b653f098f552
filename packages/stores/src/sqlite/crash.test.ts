import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openSqliteStore } from './store.ts';
import { formatOf, writeFormat1 } from './testing/format-1.ts';
import { defectsAfterKills } from '../testing/kills.ts';
import { bundleChild, removeChild, startChild } from '../testing/processes.ts';
import { damageIn } from './testing/damage.ts';

const ROUNDS = 20;

let folder: string;
let path: string;
beforeAll(() => bundleChild());
afterAll(removeChild);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'store-kill-'));
  path = join(folder, 'a.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a process that is killed while it saves, removes and collects loses nothing that was acknowledged (S37)', async () => {
  const { acknowledged, defects } = await defectsAfterKills({ path }, ROUNDS, () => damageIn(path));
  expect(defects).toEqual([]);
  expect(acknowledged).toBeGreaterThan(ROUNDS);
}, 120_000);

it.each([
  ['converting', 1],
  ['verified', 1],
  ['committed', 2],
])(
  'a conversion that is killed at the step "%s" leaves a whole store of format %d, and the next save goes on',
  async (step, format) => {
    const texts = Array.from({ length: 300 }, (_, n) => `{ "n": ${n}.0, "text": "${'x'.repeat(n)}" }`);
    await writeFormat1(
      path,
      texts.map((text, n) => ({ task: 't', id: `c${n}`, text })),
    );
    await startChild({ path, step }).ended;
    expect(formatOf(path)).toBe(format);
    const check = async () => {
      const seen = await openSqliteStore({ path, readOnly: true });
      for (const [n, text] of texts.entries()) expect((await seen.state({ task: 't', id: `c${n}` }))?.text).toBe(text);
      await seen.close();
    };
    await check();
    const store = await openSqliteStore({ path });
    await store.save({ task: 't', id: 'next', text: '{}' });
    await store.close();
    await check();
    expect(formatOf(path)).toBe(2);
    expect(readdirSync(folder).filter((name) => !/^a\.db(-wal|-shm)?$/.test(name))).toEqual([]);
  },
);
