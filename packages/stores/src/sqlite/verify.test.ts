import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifySource } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteStore } from './store.ts';
import { change, numberIn } from './testing/format-1.ts';

let folder: string;
let path: string;
const state = (n: number) => ({
  n,
  messages: Array.from({ length: n }, (_, at) => ({ at, text: `${at} `.repeat(150) })),
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'));
  path = join(folder, 'a.db');
  const store = await openSqliteStore({ path });
  for (let n = 1; n <= 40; n++) await store.save({ task: 't', id: `c${n}`, value: state(n) });
  await store.save({ task: 't', id: 'spaced', text: '{ "a": 1.0 }' });
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

async function damaged(): Promise<(string | undefined)[]> {
  const store = await openSqliteStore({ path, readOnly: true });
  const { findings, checkpoints } = await verifySource(store);
  await store.close();
  expect(checkpoints).toBe(41);
  expect(findings.every(({ kind }) => kind === 'damaged')).toBe(true);
  return findings.map(({ ref }) => ref?.id);
}

/** The node of the message so many checkpoints have, by its contents. */
const messageNode = (at: number) => numberIn(path, `SELECT id FROM nodes WHERE body LIKE '{"at":${at},%' AND kind = 0`);
const from = (n: number) => Array.from({ length: 41 - n }, (_, at) => `c${n + at}`);

it('finds nothing in a store that is whole', async () => {
  expect(await damaged()).toEqual([]);
});

it('names every checkpoint of a text that was changed, though each can still be read', async () => {
  change(path, `UPDATE nodes SET body = replace(body, '30 30', '30 31') WHERE id = ${messageNode(30)}`);
  expect((await damaged()).sort()).toEqual(from(31).sort());
});

it('names every checkpoint of a node that is missing, once', async () => {
  change(path, `DELETE FROM nodes WHERE id = ${messageNode(35)}`);
  expect((await damaged()).sort()).toEqual(from(36).sort());
});

it('names a checkpoint that was given the root of another, and a text that was changed', async () => {
  change(path, "UPDATE checkpoints SET root = (SELECT root FROM checkpoints WHERE id = 'c2') WHERE id = 'c9'");
  change(path, `UPDATE texts SET text = '{ "a": 1.5 }'`);
  expect((await damaged()).sort()).toEqual(['c9', 'spaced']);
});
