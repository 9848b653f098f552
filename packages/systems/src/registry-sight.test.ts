import type { Match, System, Target } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './kaizen/fixtures/open.ts';
import { namesOf, sightOf } from './registry-sight.ts';
import { createRegistry, foreignSystems, type SystemEntry } from './registry.ts';

/** A bundle has any name, and a description may be of any file. */
const TOLD_BY_CONTENT = ['bundle', 'described'];

/** Every file and folder of the fixtures of all systems. */
async function everyTarget(folder: string): Promise<Target[]> {
  const targets: Target[] = [{ kind: 'path', path: folder, is: 'folder' }];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) targets.push(...(await everyTarget(path)));
    else if (entry.isFile()) targets.push({ kind: 'path', path, is: 'file' });
  }
  return targets;
}

/** What a system says of a target that it can't read is told by the registry, which asks it. */
const foundBy = (system: System, target: Target): Promise<Match | 'failed' | undefined> =>
  system.detect(target).catch(() => 'failed');

describe('a look at a target', () => {
  it('keeps no system from a target that it would find a store in, over all fixtures', async () => {
    const names = (await readdir(import.meta.dirname, { withFileTypes: true })).filter((one) => one.isDirectory());
    // Copies: SQLite puts files of its own beside a database that it opens.
    const copies = await temporaryFolder();
    for (const { name } of names)
      await cp(join(import.meta.dirname, name, 'fixtures'), join(copies, name), { recursive: true }).catch(
        () => undefined,
      );
    const targets = await everyTarget(copies);
    const found = new Map<string, number>();
    for (const { id, load, mayBe } of foreignSystems) {
      const system = await load();
      for (const target of targets) {
        if ((await foundBy(system, target)) === undefined) continue;
        found.set(id, (found.get(id) ?? 0) + 1);
        expect([id, target, mayBe?.(sightOf(target))]).toEqual([id, target, true]);
      }
    }
    expect([...found.keys()].toSorted()).toEqual(foreignSystems.map(({ id }) => id).toSorted());
  });

  it.each(['postgres://127.0.0.1/agents', 'env:DATABASE_URL'])('passes an address on: %s', (url) => {
    const sight = sightOf({ kind: 'address', url });
    const passed = foreignSystems.filter(({ mayBe }) => mayBe?.(sight) !== false);
    expect(passed.map(({ id }) => id)).toEqual(['langgraph', 'described']);
  });

  it('loads only the system whose columns a database has, whatever the case of its tables', async () => {
    const columns = 'thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata';
    const path = databaseIn(
      await temporaryFolder(),
      `CREATE TABLE Checkpoints (${columns});
      CREATE TABLE WRITES (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value)`,
    );
    const { registry, loaded } = counting();
    expect(await registry.detect(path)).toMatchObject([{ system: 'langgraph' }]);
    expect(loaded).toEqual(['langgraph']);
  });

  it('asks all that read databases about one that cannot be opened, and tells why', async () => {
    const path = databaseIn(await temporaryFolder(), 'CREATE TABLE t (x)');
    // Behind the header, where the first page says what it holds.
    await writeFile(path, (await readFile(path)).fill(0xff, 100, 1_000));
    const { registry, loaded } = counting();
    await expect(registry.detect(path)).rejects.toMatchObject({ code: 'unreadable' });
    expect(loaded).toEqual(['langgraph', 'bundle']);
  });

  it('loads no other for a file of no known name or content', async () => {
    const path = join(await temporaryFolder(), 'notes.txt');
    await writeFile(path, 'nothing');
    const { registry, loaded } = counting();
    expect(await registry.detect(path)).toEqual([]);
    expect(loaded).toEqual(TOLD_BY_CONTENT);
  });
});

function databaseIn(folder: string, sql: string): string {
  const path = join(folder, 'run.db');
  const db = openSqlite(path, { readOnly: false, create: true });
  db.exec(sql);
  db.close();
  return path;
}

/** A registry that notes which systems it loads. */
function counting() {
  const loaded: string[] = [];
  const noted = (entry: SystemEntry): SystemEntry => ({
    ...entry,
    load: () => {
      loaded.push(entry.id);
      return entry.load();
    },
  });
  return { registry: createRegistry(foreignSystems.map(noted)), loaded };
}

it.each([
  [/^checkpoints$/, ['checkpoints']],
  [/^(p_.*_)?checkpoints$/s, ['p_*_checkpoints', 'checkpoints']],
  [/_(workflow_states|messages)$/s, ['*_workflow_states', '*_messages']],
  [/\.jsonl(\.gz)?$/, ['*.jsonl.gz', '*.jsonl']],
  [/\.jsonl?$/, ['*.jsonl', '*.json']],
  [/^\.langgraph/, ['.langgraph*']],
  [/^[^.].*\.(json|state)$/, ['*.json', '*.state']],
])('tells which names %s means', (pattern, names) => {
  expect(namesOf(pattern)).toEqual(names);
});
