import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll } from 'vitest';

export const CLI = resolve(import.meta.dirname, '../bin/checkpoint-inspector.mjs');
const SYSTEMS = resolve(import.meta.dirname, '../../../packages/systems/src');

export interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A folder with copies of real stores, and the built command working in it. */
export function workplace() {
  const folder = mkdtempSync(join(tmpdir(), 'cli-test-'));
  const state = join(folder, '.state');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    state,
    path: (name: string) => join(folder, name),
    langgraph(name = 'checkpoints.sqlite'): string {
      cpSync(join(SYSTEMS, 'langgraph/fixtures/js.sqlite'), join(folder, name));
      return join(folder, name);
    },
    kaizen(name = 'kaizen', fixture = 'plain'): string {
      cpSync(join(SYSTEMS, 'kaizen/fixtures', fixture), join(folder, name), { recursive: true });
      return join(folder, name);
    },
    /** Two projects, each with a task `etl-nightly`. */
    ctxSys(name = 'ctx-sys.db'): string {
      cpSync(join(SYSTEMS, 'ctx-sys/fixtures/demo-app.db'), join(folder, name));
      return join(folder, name);
    },
    /** Whether anything was kept in the user's state folder. */
    hasState: () => existsSync(state),
    run(...args: string[]): Done {
      return this.runWith({}, ...args);
    },
    runWith(env: Readonly<Record<string, string>>, ...args: string[]): Done {
      const done = spawnSync(process.execPath, [CLI, ...args], {
        cwd: folder,
        env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: state, ...env },
        encoding: 'utf8',
        timeout: 30_000,
      });
      return { code: done.status, out: done.stdout, err: done.stderr };
    },
    json(...args: string[]): unknown {
      const done = this.run(...args, '--json');
      if (done.code !== 0) throw new Error(`exit ${done.code}: ${done.err}`);
      return JSON.parse(done.out);
    },
  };
}
