// Runs one PostgreSQL server for the tests of one process, and ends with it: also when that process is killed. A test may
// kill the server: it is started again, not before the file "down" is gone. The file "stop" ends it early.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { renameSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** `folder` is ours alone; `bin` has initdb and postgres; `native` is copied first, links and all, where it is named. */
const { folder, owner, bin, native, account, through = [], set = {} } = JSON.parse(process.argv[2] ?? '{}');
const STARTS = 3;
const LOOK_MS = 200;
const STOP_MS = 5_000;
const exe = (name) =>
  join(native ? join(folder, 'native/bin') : bin, process.platform === 'win32' ? `${name}.exe` : name);
const env = { ...process.env, LC_ALL: 'C' };
const data = join(folder, 'data');

function say(name, content) {
  const path = join(folder, name);
  writeFileSync(`${path}.part`, content, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A server that notices that its folder is gone stops by itself. */
function removeLeftovers() {
  const prefix = /^.*-postgres-/.exec(basename(folder))?.[0];
  for (const name of readdirSync(dirname(folder)).filter((one) => prefix && one.startsWith(prefix))) {
    const other = join(dirname(folder), name);
    if (other === folder) continue;
    try {
      const keeper = Number(readFileSync(join(other, 'keeper.pid'), 'utf8'));
      if (!isAlive(keeper)) rmSync(other, { recursive: true, force: true });
    } catch {
      // it is just being made, or belongs to somebody else
    }
  }
}

/** npm packs no links, and the server of another account may not reach a checkout. */
function copyNative() {
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true });
  const list = join(copy, 'pg-symlinks.json');
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')))
    symlinkSync(basename(source), join(folder, target));
}

function initialise(password) {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  mkdirSync(data, { mode: 0o700 });
  if (account) for (const path of [passwordFile, data]) chownSync(path, account.uid, account.gid);
  const args = ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const done = spawnSync(exe('initdb'), [...args, `--pwfile=${passwordFile}`], {
    ...account,
    env,
    cwd: folder,
    encoding: 'utf8',
  });
  rmSync(passwordFile, { force: true });
  if (done.status !== 0) throw new Error(`initdb: ${done.error?.message ?? done.stderr}`);
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Durability is no matter here: the data ends with the tests. */
const SETTINGS = { fsync: 'off', listen_addresses: '127.0.0.1', unix_socket_directories: '', shared_buffers: '16MB' };

/** Answers when the server takes connections. */
function start(port) {
  const settings = Object.entries({ ...SETTINGS, ...set }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [program, ...args] = [...through, exe('postgres'), '-D', data, '-p', String(port), ...settings];
  const server = spawn(program, args, {
    ...account,
    env,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let log = '';
    server.on('error', reject);
    server.once('exit', () => reject(new Error(`postgres: ${log}`)));
    server.stderr.on('data', (part) => {
      if (log.length < 10_000) log += part;
      if (log.includes('ready to accept connections')) resolve(server);
    });
  });
}

async function started() {
  for (let n = 1; ; n++) {
    const port = await freePort();
    try {
      return { port, server: await start(port) };
    } catch (error) {
      if (n === STARTS) throw error;
    }
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const isDown = (server) => server.exitCode !== null || server.signalCode !== null;

/** What the killed one has left goes by itself, which takes a moment. */
async function startedAgain(port) {
  for (;;) {
    try {
      return await start(port);
    } catch (error) {
      if (!isAlive(owner)) throw error;
      await pause(LOOK_MS);
    }
  }
}

async function stop(server) {
  const gone = new Promise((resolve) => server.once('exit', resolve));
  const kill = setTimeout(() => server.kill('SIGKILL'), STOP_MS);
  if (!isDown(server) && server.kill('SIGINT')) await gone;
  clearTimeout(kill);
}

async function keep() {
  let server;
  let port;
  try {
    say('keeper.pid', String(process.pid));
    chmodSync(folder, 0o755);
    removeLeftovers();
    if (native) copyNative();
    const password = randomBytes(12).toString('hex');
    initialise(password);
    const running = await started();
    ({ server, port } = running);
    say('ready.json', JSON.stringify({ port, password }));
  } catch (error) {
    say('failed.txt', String(error?.message ?? error));
  }
  while (isAlive(owner) && !existsSync(join(folder, 'stop'))) {
    await pause(LOOK_MS);
    if (server && isDown(server) && !existsSync(join(folder, 'down'))) server = await startedAgain(port);
  }
  if (server) await stop(server);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

await keep();
