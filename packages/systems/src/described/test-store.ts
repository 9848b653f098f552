/** For tests: stores of a home-made agent, in every place that a description may name. */
import { storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRegistry } from '../registry.ts';
import { describedSystem, DESCRIPTION_FILE } from './index.ts';

export const registry = createRegistry([
  { id: 'described', label: 'Your own format', readsDatabases: true, load: async () => describedSystem },
]);

export interface Made {
  readonly folder: string;
  readonly open: (target?: string) => Promise<CheckpointSource[]>;
  readonly close: () => Promise<void>;
}

/** A folder with these files. */
export async function makeFolder(files: Readonly<Record<string, string>>): Promise<Made> {
  const folder = await mkdtemp(join(tmpdir(), 'described-'));
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const opened: CheckpointSource[] = [];
  let stores = 0;
  return {
    folder,
    open: async (target = '.') => {
      const path = join(folder, target);
      const sources = await registry.open(path, {
        label: 'mine',
        location: path,
        nameStore: () => storeId(stores++ === 0 ? 'mine' : `mine-${stores}`),
      });
      opened.push(...sources);
      return sources;
    },
    close: async () => {
      for (const source of opened) await source.close?.();
      await rm(folder, { recursive: true });
    },
  };
}

export const TABLE = `
system: my agent
store: agent.db
table: steps
task: run
id: step_id
parent: came_from
time: saved_at
step: n
name: node
status: how
state: data
statuses: { crashed: failed }
copy: uuid
`;

export const DDL = `CREATE TABLE steps (step_id TEXT PRIMARY KEY, run TEXT, came_from TEXT, saved_at TEXT, n INTEGER,
  node TEXT, how TEXT, data TEXT)`;

export type Step = readonly [
  id: string,
  run: string,
  parent: string | null,
  second: number,
  how: string,
  data: string | null,
];

export const STEPS: readonly Step[] = [
  ['a1', 'run-a', null, 1, 'done', '{"n": 1.0, "city": "Zürich"}'],
  ['a2', 'run-a', 'a1', 2, 'done', '{"n": 2.50, "city": "Zürich"}'],
  ['a3', 'run-a', 'a2', 3, 'crashed', '{"n": 12345678901234567890, "city": null}'],
  ['b1', 'run-b', null, 4, 'done', '{"n": 7}'],
];

/** A database `agent.db` in a folder, beside its description. */
export async function makeTable(steps: readonly Step[] = STEPS, description = TABLE): Promise<Made> {
  const made = await makeFolder({ [DESCRIPTION_FILE]: description });
  const database = openSqlite(join(made.folder, 'agent.db'), { readOnly: false, create: true });
  database.exec(DDL);
  const put = database.prepare('INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  for (const [id, run, parent, second, how, data] of steps)
    put.run(id, run, parent, `2026-03-01T10:00:0${second}.000Z`, second, `step ${second}`, how, data);
  database.close();
  return made;
}

export const bytesAt = async (made: Made, name: string): Promise<Uint8Array> => readFile(join(made.folder, name));
