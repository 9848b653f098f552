import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack, type Packed } from './packed.ts';

const CLI = resolve(import.meta.dirname, '..');
const SYSTEMS = resolve(CLI, '../../packages/systems/src');
const compiles = Number(process.versions.node.split('.')[0]) < 22;

/** A suite of a user's own, with nothing but the package and vitest. */
const SUITE = `
import { MemoryStore } from 'checkpoint-inspector/core';
import { applyRows, describeStore } from 'checkpoint-inspector/testing';
describeStore('mine', { open: async (options) => ({ store: new MemoryStore(options), apply: async (plan) => applyRows(plan) }),
  skip: [{ tests: ['reopen: a store that was closed reads the same, and goes on in the same order',
    'two writers: both see every save, none is lost or doubled, the limit holds',
    'edit: undo brings everything back byte for byte'], reason: 'memory' }] });
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

describe('the package, installed with scripts off in an empty folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-round-'));
  const app = join(folder, 'app');
  let packed: Packed;
  const within = (command: string, ...args: string[]) => {
    // pnpm's own start scripts set NODE_PATH: the workspace's packages would be found from anywhere.
    const env = { ...process.env, NODE_PATH: '', CHECKPOINT_INSPECTOR_STATE: join(folder, 'state') };
    const done = spawnSync(command, args, { cwd: app, encoding: 'utf8', env, timeout: 240_000 });
    return { code: done.status, out: done.stdout, err: done.stderr };
  };
  const inspector = (...args: string[]) =>
    within(process.execPath, 'node_modules/checkpoint-inspector/bin/checkpoint-inspector.mjs', ...args);
  const imported = (name: string) =>
    within(process.execPath, '--input-type=module', '-e', `await import(${JSON.stringify(name)})`).err;

  beforeAll(() => {
    packed = pack(join(folder, 'packed'));
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }');
    const done = within('npm', 'install', packed.tarball, '--ignore-scripts', '--prefer-offline', '--no-audit');
    if (done.code !== 0) throw new Error(done.err);
    cpSync(join(SYSTEMS, 'kaizen/fixtures/plain'), join(app, 'kaizen'), { recursive: true });
    cpSync(join(SYSTEMS, 'langgraph/fixtures/js.sqlite'), join(app, 'graph.sqlite'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('says its version', () => {
    expect(inspector('--version')).toMatchObject({ code: 0, out: `${packed.manifest.version}\n`, err: '' });
  });

  it('lists the tasks of a folder', () => {
    const done = inspector('tasks', '-s', 'kaizen', '--json');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect((JSON.parse(done.out) as { items: unknown[] }).items.length).toBeGreaterThan(0);
  });

  it.runIf(compiles)('names the command that brings SQLite, on the Node that needs one', () => {
    const done = inspector('tasks', '-s', 'graph.sqlite');
    expect(done.code).not.toBe(0);
    expect(done.err).toContain('npm install better-sqlite3@12.11.1 --ignore-scripts=false');
  });

  it('lists the tasks of a database, with the driver of this Node', () => {
    if (compiles) link('better-sqlite3');
    const done = inspector('tasks', '-s', 'graph.sqlite', '--json');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect((JSON.parse(done.out) as { items: unknown[] }).items.length).toBeGreaterThan(0);
  });

  it('can be imported by every name of its exports', () => {
    const names = Object.keys(packed.manifest.exports).filter((name) => !/testing|package\.json/.test(name));
    const errors = names.map((name) => imported(name.replace('.', 'checkpoint-inspector')));
    expect(errors.join('')).toBe('');
  });

  it('runs a conformance suite of a user who has vitest', () => {
    link('vitest');
    writeFileSync(join(app, 'mine.test.js'), SUITE);
    const done = within(process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--dir', '.');
    expect(done.out).toMatch(/Tests .*\d+ passed/);
    expect(done.code).toBe(0);
  });

  it('type-checks in a strict project that has vitest, and no types of the SQLite driver', () => {
    for (const name of ['vitest', 'typescript', '@types/node']) link(name);
    writeFileSync(join(app, 'consumer.ts'), CONSUMER);
    const tsc = within(
      process.execPath,
      'node_modules/typescript/bin/tsc',
      ...STRICT,
      '--types',
      'node',
      'consumer.ts',
    );
    expect(tsc).toMatchObject({ code: 0, out: '' });
    expect(existsSync(join(app, 'node_modules/@types/better-sqlite3'))).toBe(false);
  });

  /** As if the user had added it: the workspace's own copy is at hand. */
  function link(name: string): void {
    const place = join(app, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(place)) symlinkSync(realpathSync(join(CLI, 'node_modules', name)), place);
  }
});
