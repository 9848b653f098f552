/** The originals, installed into a temporary folder with a home of their own; nothing of them enters the workspace. */
import { execFile, type ExecFileException } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Original {
  /** Where `node_modules` is. */
  readonly folder: string;
  /** For programs of the original: an empty home, and none of our own settings or keys. */
  readonly home: string;
  /** An empty folder to work in. */
  readonly work: string;
  readonly run: (command: string, args: readonly string[], options?: RunOptions) => Promise<Ran>;
  readonly remove: () => Promise<void>;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/**
 * Installs packages at exact versions.
 * @throws Error where they can't be had: a suite that skips them would look green
 * @example const original = await install({ '@openai/codex': '0.169.0' })
 */
export async function install(packages: Readonly<Record<string, string>>): Promise<Original> {
  const folder = await mkdtemp(join(tmpdir(), 'interop-'));
  const [home, work] = [join(folder, 'home'), join(folder, 'work')];
  await mkdir(home);
  await mkdir(work);
  const names = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  // pnpm hands its strictness about engines on to npm. Some of these packages ask for Node 22, but run on 20.
  const npm = ['install', '--no-engine-strict', '--no-audit', '--no-fund', '--no-save', '--prefix', folder, ...names];
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const installed = await run('npm', npm, { cwd: folder, env: inherited, timeoutMs: 540_000 });
  if (installed.code !== 0) {
    await remove();
    throw new Error(`${names.join(', ')} can't be installed: ${installed.stderr.trim().slice(-1000)}`);
  }
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8', NO_COLOR: '1' };
  return {
    folder,
    home,
    work,
    remove,
    run: (command, args, options = {}) =>
      run(command, args, { cwd: work, ...options, env: { ...env, ...options.env } }),
  };
}

/** npm needs the registry that this machine is set up for. */
const inherited = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);

function run(command: string, args: readonly string[], { cwd, env, timeoutMs = 120_000 }: RunOptions): Promise<Ran> {
  return new Promise((resolve) => {
    const done = (error: ExecFileException | null, stdout: string, stderr: string): void => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1) || 1, stdout, stderr });
    };
    const child = execFile(command, [...args], { cwd, env, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 }, done);
    child.stdin?.end();
  });
}
