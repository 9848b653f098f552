/** What going over the states of runs costs: a row is read and parsed once, whatever is asked of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, type SqliteDatabase } from '@checkpoint-inspector/io';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunHead, RunRules } from './contract.ts';
import { Runs } from './runs.ts';

const STEPS = 50;

let folder: string;
let agent: SqliteDatabase;
let database: SqliteDatabase;
let counts: { texts: number; parses: number };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'runs-'));
  const path = join(folder, 'runs.db');
  agent = openSqlite(path, { readOnly: false, create: true });
  agent.pragma('synchronous = OFF');
  agent.exec('CREATE TABLE run (id TEXT PRIMARY KEY, state TEXT)');
  database = openSqlite(path, { readOnly: true });
  counts = { texts: 0, parses: 0 };
});
afterEach(() => {
  database.close();
  agent.close();
  rmSync(folder, { recursive: true });
});

const save = (id: string, steps: readonly string[]) =>
  agent.prepare('INSERT OR REPLACE INTO run VALUES (?, ?)').run(id, JSON.stringify(steps));
const words = (count: number, length = 1) => Array.from({ length: count }, (_, at) => `${at}`.padEnd(length, 'x'));

/** A state is the list of what its steps gave. */
const rules: RunRules = {
  system: 'lists',
  heads: (db) =>
    db
      .prepare<{ r: bigint; id: string; n: bigint }>('SELECT rowid AS r, id, length(state) AS n FROM run', {
        safeIntegers: true,
      })
      .all()
      .map(({ r: rowid, id: run, n }): RunHead => ({ rowid, run, name: 'list', sizeBytes: Number(n) })),
  text: (db, { rowid }) => {
    counts.texts++;
    return db.prepare<{ state: string }>('SELECT state FROM run WHERE rowid = ?').get(rowid)?.state;
  },
  stored: () => undefined,
  asStored: (_db, _head, text) => text,
  read: (text) => {
    counts.parses++;
    const list = JSON.parse(text) as readonly string[];
    const steps = list.map((description, index) => ({ index, description, sizeBytes: 1 }));
    return {
      run: { steps, status: 'completed', labels: [] },
      stateAfter: (index) => JSON.stringify(list.slice(0, index + 1)),
    };
  },
  derived: 'the list until then',
};

const statesOf = (runs: Runs, task: string): (string | undefined)[] =>
  runs.places(task).map(({ ref }) => {
    const place = runs.place(ref);
    return place && runs.text(place);
  });

it('reads and parses one row once for the list and all states of its run', () => {
  save('a', words(STEPS));
  const runs = new Runs(database, rules);
  const states = statesOf(runs, 'a');
  expect(states).toEqual(words(STEPS).map((_, at) => JSON.stringify(words(at + 1))));
  expect(statesOf(runs, 'a').toReversed()).toEqual(states.toReversed());
  expect(counts).toEqual({ texts: 1, parses: 1 });
});

it('reads a row again once the database has changed', () => {
  save('a', words(2));
  const runs = new Runs(database, rules);
  expect(statesOf(runs, 'a')).toEqual(['["0"]', '["0","1"]']);
  // As long as before, and without a time of its own: only SQLite tells that it changed.
  save('a', ['2', '3']);
  expect(statesOf(runs, 'a')).toEqual(['["2"]', '["2","3"]']);
  expect(counts).toEqual({ texts: 2, parses: 2 });
  agent.exec('DELETE FROM run');
  expect(statesOf(runs, 'a')).toEqual([]);
});

it('going between runs reads each once while they are small, and keeps none that is very long', () => {
  save('a', words(3));
  save('b', words(3));
  save('long', words(4, 5 * 1024 * 1024));
  const runs = new Runs(database, rules);
  for (const task of ['a', 'long', 'b', 'long', 'a', 'b']) expect(statesOf(runs, task)).toBeDefined();
  // The long one: once for its list, then once for each state, and once more each time that it is asked for.
  expect(counts.texts).toBe(1 + 1 + 1 + 2 * 4);
});
