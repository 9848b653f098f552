/** Saves, loads and bytes of shared nodes against full rows, in one interleaved run. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, type SqliteDatabase } from '@checkpoint-inspector/io';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from '../src/sqlite/index.ts';
import { workload, type Step } from './workload.ts';

const STEPS = Number(process.env['STEPS'] ?? 1_000);
const SEEDS = (process.env['SEEDS'] ?? '1,2,3').split(',').map(Number);

interface Side {
  readonly path: string;
  save(step: Step): Promise<void>;
  load(id: string): Promise<string>;
  close(): Promise<void>;
}

/** The whole state as text in every row, durable as ours. */
function fullRows(path: string): Side {
  const db: SqliteDatabase = openSqlite(path, { readOnly: false, create: true });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, parent TEXT, at TEXT, text TEXT NOT NULL)');
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?, ?, ?)');
  const select = db.prepare<{ text: string }>('SELECT text FROM rows WHERE id = ?');
  return {
    path,
    save: async ({ id, parent, state }) => {
      const text = JSON.stringify(state);
      db.transaction(() => insert.run(id, parent ?? null, new Date().toISOString(), text));
    },
    load: async (id) => select.get(id)?.text ?? '',
    close: async () => db.close(),
  };
}

async function ours(path: string, immutable: boolean): Promise<Side> {
  const store = await openSqliteStore({ path });
  return {
    path,
    save: async ({ id, parent, state }) => {
      const lineage = parent === undefined ? {} : { parent: { task: 't', id: parent } };
      await store.save({ task: 't', id, ...lineage, value: state }, { immutable });
    },
    load: async (id) => (await store.state({ task: 't', id }))?.text ?? '',
    close: () => store.close(),
  };
}

const SIDES = {
  rows: fullRows,
  value: (path: string) => ours(path, false),
  immutable: (path: string) => ours(path, true),
};
type Name = keyof typeof SIDES;
const NAMES = Object.keys(SIDES) as Name[];

it.each(SEEDS)(
  `seed %d: ${STEPS} saves as nodes against full rows`,
  async (seed) => {
    const folder = mkdtempSync(join(tmpdir(), 'scale-shared-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const open = (name: Name) => SIDES[name](join(folder, `${name}.db`));
    const sides = new Map<Name, Side>();
    for (const name of NAMES) sides.set(name, await open(name));
    const times = new Map(NAMES.map((name) => [name, [] as number[]]));
    let last: Step | undefined;
    for (const step of workload(seed, STEPS)) {
      for (const [name, side] of sides) times.get(name)?.push(await timed(() => side.save(step)));
      last = step;
    }
    for (const side of sides.values()) await side.close();
    const bytes = (name: Name) => bytesOf(folder, name);
    const saves = (name: Name, from: number) => median((times.get(name) ?? []).slice(from));
    const tail = Math.floor(STEPS * 0.9);
    const loads = await loading(NAMES, open, last, seed);
    const ratio = (name: Name, of: (name: Name) => number) => (of('rows') / of(name)).toFixed(1);
    const all = (of: (name: Name) => number) => `value ${ratio('value', of)}x, immutable ${ratio('immutable', of)}x`;
    console.log(
      `measured: seed ${seed}, ${STEPS} steps: bytes ${bytes('rows')} -> ${bytes('value')} (${ratio('value', bytes)}x); ` +
        `save p50 ${saves('rows', 0).toFixed(2)} ms: ${all((name) => saves(name, 0))}; ` +
        `last tenth ${saves('rows', tail).toFixed(2)} ms: ${all((name) => saves(name, tail))}; ` +
        `cold load ${loads.cold.rows.toFixed(2)} ms: ${all((name) => loads.cold[name])}; ` +
        `neighbour ${loads.near.rows.toFixed(2)} ms: ${all((name) => loads.near[name])}; ` +
        `neighbour with all its bytes ${loads.nearBytes.rows.toFixed(2)} ms: ${all((name) => loads.nearBytes[name])}`,
    );
    // Pieces are copied into one text by whoever reads it all, as the second figure has it.
    expect(loads.near.rows / loads.near.value).toBeGreaterThan(10);
    expect(bytes('value')).toBeLessThan(bytes('rows') / 10);
    expect(bytes('immutable')).toBe(bytes('value'));
  },
  1_800_000,
);

/** By new connections, and then of the checkpoint before. */
async function loading(
  names: readonly Name[],
  open: (name: Name) => Promise<Side> | Side,
  last: Step | undefined,
  seed: number,
) {
  const text = JSON.stringify(last?.state);
  const cold = new Map(names.map((name) => [name, [] as number[]]));
  const near = new Map(names.map((name) => [name, [] as number[]]));
  const nearBytes = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < 7; round++) {
    for (const name of names) {
      const side = await open(name);
      const load = async () => expect((await side.load(last?.id ?? '')) === text, `seed ${seed}`).toBe(true);
      cold.get(name)?.push(await timed(load));
      let neighbour = '';
      const took = await timed(async () => (neighbour = await side.load(last?.parent ?? '')));
      near.get(name)?.push(took);
      nearBytes.get(name)?.push(took + (await timed(async () => Buffer.byteLength(neighbour))));
      await side.close();
    }
  }
  const medians = (of: ReadonlyMap<Name, readonly number[]>) => ({
    rows: median(of.get('rows') ?? []),
    value: median(of.get('value') ?? []),
    immutable: median(of.get('immutable') ?? []),
  });
  return { cold: medians(cold), near: medians(near), nearBytes: medians(nearBytes) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const bytesOf = (folder: string, name: string): number =>
  readdirSync(folder)
    .filter((file) => file.startsWith(`${name}.db`))
    .reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
