/** An empty folder of somebody who installs the package, with one of the Nodes. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { NodeAtHand } from './nodes.ts';

const CLI = resolve(import.meta.dirname, '..');
const NOTES = join(CLI, 'node_modules/.cache/package-round.txt');

/** A line that `npm run package` ends with. */
export function note(line: string): void {
  mkdirSync(dirname(NOTES), { recursive: true });
  appendFileSync(NOTES, `${line}\n`);
}

export function createProject(app: string, { path, line }: Pick<NodeAtHand, 'path' | 'line'>) {
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }');
  // pnpm's own start scripts set NODE_PATH: the workspace's packages would be found from anywhere.
  const env = { ...process.env, PATH: path, NODE_PATH: '', CHECKPOINT_INSPECTOR_STATE: join(app, '.state') };
  const bin = 'node_modules/checkpoint-inspector/bin/checkpoint-inspector.mjs';
  const run = (command: string, ...args: string[]) => {
    const done = spawnSync(command, args, { cwd: app, encoding: 'utf8', env, timeout: 280_000 });
    return { code: done.status, out: done.stdout, err: done.stderr };
  };
  return {
    app,
    run,
    /** While this process answers what the program asks it. */
    async runBeside(more: Readonly<Record<string, string>>, command: string, ...args: string[]) {
      const options = { cwd: app, env: { ...env, ...more }, timeout: 120_000 };
      try {
        const { stdout, stderr } = await promisify(execFile)(command, args, options);
        return { code: 0, out: stdout, err: stderr };
      } catch (error) {
        return { code: 1, out: '', err: String(error) };
      }
    },
    inspector: (...args: string[]) => run('node', bin, ...args),
    /** Runs until it is killed. */
    start: (...args: string[]) =>
      spawn('node', [bin, ...args], { cwd: app, env, stdio: ['ignore', 'pipe', 'inherit'] }),
    /** Scripts off. @throws Error with what npm said */
    install(...packages: string[]): { seconds: number } {
      const began = Date.now();
      const done = run(
        'npm',
        'install',
        ...packages,
        '--ignore-scripts',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
      );
      if (done.code !== 0) throw new Error(done.err);
      return { seconds: (Date.now() - began) / 1000 };
    },
    installed(): { packages: number; bytes: number } {
      const lock = JSON.parse(readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8')) as {
        packages: Record<string, unknown>;
      };
      return { packages: Object.keys(lock.packages).length, bytes: bytesBelow(join(app, 'node_modules')) };
    },
    /** As if the user had added it: the workspace's own copy is at hand. */
    link(name: string, from = CLI): void {
      const place = join(app, 'node_modules', name);
      mkdirSync(dirname(place), { recursive: true });
      if (!existsSync(place)) symlinkSync(realpathSync(join(from, 'node_modules', name)), place);
    },
    /** SQLite's driver is compiled for the Node of this run: on another one below 22 there is none. */
    get hasSqlite(): boolean {
      return line >= 22 || line === Number(process.versions.node.split('.')[0]);
    },
  };
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .filter((entry) => entry.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}
