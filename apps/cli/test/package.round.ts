import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesAtHand } from './nodes.ts';
import { pack, type Packed } from './packed.ts';
import { examplesOf } from './pages.ts';
import { createProject, note } from './project.ts';

const CLI = resolve(import.meta.dirname, '..');
const SYSTEMS = resolve(CLI, '../../packages/systems/src');
const { nodes, missing } = nodesAtHand();

/** A suite of a user's own, with nothing but the package and vitest. */
const SUITE = `
import { MemoryStore } from 'checkpoint-inspector/core';
import { applyRows, describeStore } from 'checkpoint-inspector/testing';
describeStore('mine', { open: async (options) => ({ store: new MemoryStore(options), apply: async (plan) => applyRows(plan) }),
  skip: [{ tests: ['reopen: a store that was closed reads the same, and goes on in the same order',
    'two writers: both see every save, none is lost or doubled, the limit holds',
    'edit: undo brings everything back byte for byte',
    'undo: of each change to a framework’s thread brings everything back'], reason: 'memory' }] });
`;

/** A project of a user who writes TypeScript: its own store, and each entry. */
const CONSUMER = `
import { InspectorError, MemoryStore, diffJson, type CheckpointStore, type Plan, type SystemRequest } from 'checkpoint-inspector';
import { describeStore } from 'checkpoint-inspector/testing';
import { inspect, type Inspection } from 'checkpoint-inspector/inspect';
import { openSqliteStore, type SqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { createCheckpointManager } from 'checkpoint-inspector/stores/manager';
import { FilesystemStorage, kaizenSystem } from 'checkpoint-inspector/systems/kaizen';
import { langgraphSystem } from 'checkpoint-inspector/systems/langgraph';
import { FileCheckpointStorage } from 'checkpoint-inspector/systems/agent-framework';
import { createCtxSysCheckpointManager } from 'checkpoint-inspector/systems/ctx-sys';
import { CheckpointManager } from 'checkpoint-inspector/systems/rlm-act';

export class Mine extends MemoryStore {
  override async plan(request: SystemRequest): Promise<Plan> {
    if (request.kind === 'delete') throw new InspectorError('unsupported', 'Nothing is deleted here.');
    return super.plan(request);
  }
}
export const store: CheckpointStore = new Mine({ maxPerTask: 3 });
export const opened: Promise<SqliteStore> = openSqliteStore({ path: 'agent.db' });
export const page: Promise<Inspection> = inspect(createCheckpointManager());
export const kinds: readonly string[] = diffJson('1', '2').items.map(({ kind }) => kind);
export const ids: string[] = [kaizenSystem.id, langgraphSystem.id];
export const used = [describeStore, FilesystemStorage, FileCheckpointStorage, createCtxSysCheckpointManager, CheckpointManager];
`;
const STRICT = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--exactOptionalPropertyTypes'];

let packed: Packed;
const folder = mkdtempSync(join(tmpdir(), 'package-round-'));
beforeAll(() => {
  packed = pack(join(folder, 'packed'));
  for (const line of missing) note(`skipped: ${line}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(nodes)('the package, installed with scripts off in an empty folder on Node $version', (node) => {
  const project = createProject(join(folder, `${node.line}`), node);
  const { app, run, inspector, link } = project;
  const needsDriver = node.line < 22;
  const skipsSqlite = !project.hasSqlite;

  beforeAll(() => {
    const { seconds } = project.install(packed.tarball);
    const { packages, bytes } = project.installed();
    const size = `${(statSync(packed.tarball).size / 1e6).toFixed(2)} MB packed, ${(bytes / 1e6).toFixed(1)} MB installed`;
    note(`Node ${node.version}: installed in ${seconds.toFixed(1)} s, ${packages} packages, ${size}`);
    if (skipsSqlite) note(`skipped: SQLite on Node ${node.version}: its driver would have to be compiled`);
    cpSync(join(SYSTEMS, 'kaizen/fixtures/plain'), join(app, 'kaizen'), { recursive: true });
    cpSync(join(SYSTEMS, 'langgraph/fixtures/js.sqlite'), join(app, 'graph.sqlite'));
  });

  it('brings few packages', () => {
    expect(project.installed().packages).toBeLessThan(12);
  });

  it('says its version', () => {
    expect(inspector('--version')).toMatchObject({ code: 0, out: `${packed.manifest.version}\n`, err: '' });
  });

  it('lists the tasks of a folder', () => {
    const done = inspector('tasks', '-s', 'kaizen', '--json');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect((JSON.parse(done.out) as { items: unknown[] }).items.length).toBeGreaterThan(0);
  });

  it.runIf(needsDriver)('names the command that brings SQLite, on the Node that needs one', () => {
    const done = inspector('tasks', '-s', 'graph.sqlite');
    expect(done.code).not.toBe(0);
    expect(done.err).toContain('npm install better-sqlite3@12.11.1 --ignore-scripts=false');
  });

  it.skipIf(skipsSqlite)('lists the tasks of a database, with the driver of this Node', () => {
    if (needsDriver) link('better-sqlite3');
    const done = inspector('tasks', '-s', 'graph.sqlite', '--json');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect((JSON.parse(done.out) as { items: unknown[] }).items.length).toBeGreaterThan(0);
  });

  it('can be imported by every name of its exports', () => {
    link('@langchain/langgraph-checkpoint', join(CLI, '../../packages/stores'));
    const names = Object.keys(packed.manifest.exports).filter((name) => !/testing|package\.json/.test(name));
    const imports = names.map((name) => `await import('${name.replace('.', 'checkpoint-inspector')}');`);
    expect(run('node', '--input-type=module', '-e', imports.join('\n'))).toMatchObject({ code: 0, err: '' });
  });

  it.skipIf(skipsSqlite)('runs the example of a manager unchanged', () => {
    const [example] = examplesOf(packed.read('dist/docs/own-agent.md'), 'ts');
    writeFileSync(join(app, 'example.mjs'), example?.code ?? '');
    const done = run('node', 'example.mjs');
    expect(done).toEqual({ code: 0, out: 'cp-1 draft\n', err: '' });
  });

  it.skipIf(skipsSqlite)('serves the demo', async () => {
    const began = Date.now();
    const demo = project.start('--demo', '--no-open', '--port', '0', '--json');
    try {
      const [line] = (await once(createInterface({ input: demo.stdout }), 'line')) as [string];
      const { origin, hash } = new URL((JSON.parse(line) as { url: string }).url);
      note(`Node ${node.version}: the demo is served after ${((Date.now() - began) / 1000).toFixed(1)} s`);
      expect((await fetch(origin)).headers.get('content-type')).toContain('text/html');
      const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
      const tasks = await fetch(`${origin}/api/tasks`, { headers: { authorization: `Bearer ${token}` } });
      expect(((await tasks.json()) as { items: unknown[] }).items.length).toBeGreaterThan(5);
    } finally {
      demo.kill();
      if (demo.exitCode === null) await once(demo, 'exit');
    }
  });

  it('runs a conformance suite of a user who has vitest', () => {
    link('vitest');
    writeFileSync(join(app, 'mine.test.js'), SUITE);
    const done = run('node', 'node_modules/vitest/vitest.mjs', 'run', '--dir', '.');
    expect(done.out).toMatch(/Tests .*\d+ passed/);
    expect(done.code).toBe(0);
  });

  it('type-checks in a strict project that has vitest, and no types of the SQLite driver', () => {
    for (const name of ['vitest', 'typescript', '@types/node']) link(name);
    writeFileSync(join(app, 'consumer.ts'), CONSUMER);
    const tsc = run('node', 'node_modules/typescript/bin/tsc', ...STRICT, '--types', 'node', 'consumer.ts');
    expect(tsc).toMatchObject({ code: 0, out: '' });
    expect(existsSync(join(app, 'node_modules/@types/better-sqlite3'))).toBe(false);
  });
});
