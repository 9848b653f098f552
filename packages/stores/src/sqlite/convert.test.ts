import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENGINES, openSqlite, sqliteJob } from '@checkpoint-inspector/io';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bringToNodes } from './convert.ts';
import { openSqliteStore } from './store.ts';
import { change, formatOf, miscounted, numberIn, rowsOf, writeFormat1 } from './testing/format-1.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'convert-'));
  path = join(folder, 'a.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const TEXTS = [
  '{"a":1.0,"a":[1e400,-0]}',
  '{ "spaces" : [ 1, 2 ],\n "é": "\\u00e9" }',
  `[${Array.from({ length: 300 }, (_, n) => `{"n":${n},"text":"${'x'.repeat(n)}"}`).join(',')}]`,
  '"\u2028"',
];
const rows = () => TEXTS.map((text, at) => ({ task: at % 2 === 0 ? 't' : 'u', id: `c${at}`, text }));

async function texts(): Promise<(string | undefined)[]> {
  const store = await openSqliteStore({ path, readOnly: true });
  const found: (string | undefined)[] = [];
  for (const { task, id } of rows()) found.push((await store.state({ task, id }))?.text);
  await store.close();
  return found;
}

async function saveOne(): Promise<void> {
  const store = await openSqliteStore({ path });
  await store.save({ task: 'new', id: 'n', text: '{}' });
  await store.close();
}

describe('a file of format 1', () => {
  it('is read as it is, and viewing leaves every byte of it', async () => {
    await writeFormat1(path, rows());
    const before = readFileSync(path);
    expect(await texts()).toEqual(TEXTS);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(formatOf(path)).toBe(1);
  });

  it('is converted by the first save: every row as it was', async () => {
    await writeFormat1(path, rows());
    change(path, "DELETE FROM checkpoints WHERE id = 'c3'");
    const sql = 'SELECT seq, task, id, state_hash, size_bytes, duration_ms, created_at FROM checkpoints';
    const before = rowsOf(path, sql);
    await saveOne();
    expect(formatOf(path)).toBe(2);
    expect(await texts()).toEqual([...TEXTS.slice(0, 3), undefined]);
    expect(rowsOf(path, `${sql} WHERE task <> 'new'`)).toEqual(before);
    // The number of the deleted row isn't given out again.
    expect(numberIn(path, "SELECT seq FROM checkpoints WHERE task = 'new'")).toBe(5);
  });

  it('is not converted by opening it for saving, or by a save that is refused', async () => {
    await writeFormat1(path, rows());
    await (await openSqliteStore({ path })).close();
    expect(formatOf(path)).toBe(1);
  });

  it('keeps what isn’t JSON, isn’t text, or has another size than its row says', async () => {
    const odd = [
      { task: 't', id: 'cut', text: '{"a":' },
      { task: 't', id: 'sized', text: '{"a":"wrong size"}', size: 2, hash: 'h' },
      { task: 't', id: 'bytes', text: new Uint8Array([0xff, 0x00]) },
    ];
    await writeFormat1(path, odd);
    change(path, "UPDATE checkpoints SET text = CAST(x'22ff22' AS TEXT) WHERE id = 'cut'");
    await saveOne();
    const store = await openSqliteStore({ path, readOnly: true });
    expect((await store.state({ task: 't', id: 'sized' }))?.text).toBe('{"a":"wrong size"}');
    expect(rowsOf(path, 'SELECT hex(text) AS h FROM checkpoints JOIN texts ON texts.id = whole ORDER BY seq')).toEqual(
      ['22FF22', Buffer.from('{"a":"wrong size"}').toString('hex').toUpperCase(), 'FF00'].map((h) => ({ h })),
    );
    await store.close();
  });

  it('takes a receipt of before: the undo finds and makes the rows that it knows', async () => {
    await writeFormat1(path, rows());
    const engine = ENGINES.get('sqlite');
    const job = sqliteJob(path).delete('checkpoints', { task: 't', id: 'c2' });
    job.copy('checkpoints', { task: 'u', id: 'c1' }, { seq: null, id: 'copy' });
    const { images } = await engine.apply(job, { tag: 'a', prepared: () => undefined });
    await saveOne();
    expect(
      (
        await engine.compare(
          path,
          images.map(({ mark }) => mark),
        )
      ).map(({ is }) => is),
    ).toEqual(['after', 'after']);
    await engine.apply(await engine.undo(path, images), { tag: 'b', prepared: () => undefined });
    expect(
      (
        await engine.compare(
          path,
          images.map(({ mark }) => mark),
        )
      ).map(({ is }) => is),
    ).toEqual(['before', 'before']);
    expect(await texts()).toEqual(TEXTS);
    expect(miscounted(path)).toEqual([]);
  });
});

describe('a conversion', () => {
  it('that fails leaves the store as it was', async () => {
    await writeFormat1(path, rows());
    const db = openSqlite(path, { readOnly: false });
    const fail = (step: string) => {
      if (step === 'verified') throw new Error('stopped');
    };
    expect(() => bringToNodes(db, fail)).toThrow('stopped');
    db.close();
    expect(formatOf(path)).toBe(1);
    expect(await texts()).toEqual(TEXTS);
  });

  it('puts nothing beside the store but the log of SQLite', async () => {
    await writeFormat1(path, rows());
    const db = openSqlite(path, { readOnly: false });
    const seen = new Set<string>();
    bringToNodes(db, () => readdirSync(folder).forEach((name) => seen.add(name)));
    db.close();
    expect([...seen].filter((name) => !/^a\.db(-wal|-shm)?$/.test(name))).toEqual([]);
    expect(readdirSync(folder)).toEqual(['a.db']);
  });
});
