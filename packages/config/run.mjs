// The one script behind `npm start` and `npm test`: needs Node, npm and git, and sets up everything else.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChromium } from './chromium.mjs';
import { clearResults, sumResults } from './results.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const [mode, ...args] = process.argv.slice(2);
const nodeMajor = Number(process.versions.node.split('.')[0]);
const say = (text) => process.stderr.write(`${text}\n`);

function stop(text) {
  say(text);
  process.exit(1);
}

/** npm's own variables would change what pnpm does; keep only how to reach the registry. */
function cleanEnv() {
  const keep =
    /^npm_config_(registry|.*:registry|cache|proxy|https?_proxy|https-proxy|noproxy|cafile|userconfig|globalconfig|prefix)$/i;
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^npm_(config|package|lifecycle)_/i.test(key) || keep.test(key)),
  );
  const prefix = resolve(dirname(process.execPath), '..');
  if (existsSync(join(prefix, 'include/node/node.h'))) env['npm_config_nodedir'] = prefix;
  env['NODE_ABI'] = `${process.platform}-${process.arch}-${process.versions.modules}`;
  env['TURBO_TELEMETRY_DISABLED'] = '1';
  env['DO_NOT_TRACK'] = '1';
  return env;
}

const env = cleanEnv();
const pin = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager.replace('pnpm@', '');

function pnpmCommand() {
  const found = spawnSync('pnpm', ['--version'], {
    cwd: dirname(root),
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (found.status === 0 && found.stdout.trim() === pin) return ['pnpm'];
  return ['npx', '--yes', '--prefer-offline', `pnpm@${pin}`];
}

let pnpm;
function runPnpm(pnpmArgs, options = {}) {
  pnpm ??= pnpmCommand();
  const [command, ...first] = pnpm;
  const done = spawnSync(command, [...first, ...pnpmArgs], {
    cwd: root,
    env,
    stdio: options.quiet ? ['ignore', 2, 2] : 'inherit',
    shell: process.platform === 'win32',
  });
  return done.status ?? 1;
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

/** Does `work` unless the stamp says that the same inputs were worked before. */
function once(stampName, inputs, work) {
  const stamp = join(root, 'node_modules', stampName);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return;
  work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, inputs);
}

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

function install() {
  const inputs = sha256(
    [readFileSync(join(root, 'pnpm-lock.yaml')), readFileSync(join(root, 'pnpm-workspace.yaml')), process.version].join(
      '\n',
    ),
  );
  once('.install-stamp', inputs, () => {
    say('Setting up (first time, one to two minutes)…');
    const scripts = nodeMajor >= 22 ? ['--ignore-scripts'] : []; // newer Nodes load a driver that ships compiled
    if (runPnpm(['install', '--frozen-lockfile', ...scripts], { quiet: true }) !== 0)
      stop('The installation failed; see above.');
    ensureDriver();
  });
}

const driverLoads = () =>
  spawnSync(
    process.execPath,
    ['-e', `new (require(${JSON.stringify(nodeMajor >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3')}))(':memory:')`],
    {
      cwd: join(root, 'packages/io'),
    },
  ).status === 0;

function ensureDriver() {
  if (driverLoads()) return;
  const tools = 'apt-get install -y --no-install-recommends python3 make g++';
  const apt = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (apt) {
    say('The SQLite driver needs a compiler: installing one.');
    spawnSync('sh', ['-c', `apt-get update && ${tools}`], { stdio: ['ignore', 2, 2] });
    runPnpm(['rebuild', '-r', 'better-sqlite3'], { quiet: true });
    if (driverLoads()) return;
  }
  stop(
    `The SQLite driver could not be built. Install a compiler (on Debian: sudo ${tools}), or use Node 22 or newer, and start again.`,
  );
}

function build() {
  const stat = (path) => {
    const { size, mtimeMs } = statSync(path);
    return `${path} ${size} ${mtimeMs}`;
  };
  const inputs = sha256(
    ['apps', 'packages']
      .flatMap((top) => [...filesBelow(join(root, top))])
      .map(stat)
      .join('\n') + process.version,
  );
  const cli = join(root, 'apps/cli/dist/cli.js');
  once(existsSync(cli) ? '.build-stamp' : `.build-stamp-${Date.now()}`, inputs, () => {
    say('Building…');
    if (runPnpm(['exec', 'turbo', 'run', 'build', '--output-logs=errors-only'], { quiet: true }) !== 0)
      stop('The build failed; see above.');
    writeFileSync(join(root, 'node_modules/.build-stamp'), inputs);
  });
  return cli;
}

function start() {
  install();
  const cli = build();
  const given = args.filter((arg) => !arg.startsWith('-'));
  const values = new Set(['--port', '--host', '--allowed-host', '--token']);
  const targets = given.filter((arg) => !values.has(args[args.indexOf(arg) - 1] ?? ''));
  const demo = targets.length === 0 && !args.includes('--help') && !args.includes('--version') ? ['--demo'] : [];
  const child = spawn(process.execPath, [cli, ...demo, ...args], {
    stdio: 'inherit',
    cwd: process.env['INIT_CWD'] ?? process.cwd(),
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm ends without telling us when it is killed: our parent changes then.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}

function test() {
  install();
  const chromium = findChromium({ root, say });
  if (!chromium.ok) stop(chromium.message);
  if (chromium.path) env['CHROMIUM_PATH'] = chromium.path;
  clearResults(root);
  const force = process.env['CI'] ? ['--force'] : [];
  const turbo = ['exec', 'turbo', 'run'];
  const options = ['--concurrency=2', '--output-logs=new-only', ...force];
  const steps = [
    // The linter needs the built types of the library: the browser tests import it.
    { name: 'build', command: [...turbo, 'build', ...options] },
    { name: 'lint', command: ['run', 'lint'] },
    { name: 'types, unit and conformance tests', command: [...turbo, 'typecheck', 'test', '--continue', ...options] },
    { name: 'browser tests', command: ['--filter', '@checkpoint-inspector/e2e', 'exec', 'playwright', 'test'] },
  ];
  let failedSteps = 0;
  for (const { name, command } of steps) {
    say(`\n== ${name}`);
    if (runPnpm(command) !== 0) {
      failedSteps += 1;
      say(`== ${name}: FAILED`);
    }
  }
  const { passed, failed } = sumResults(root);
  // A step can fail without a failed test (lint, types): count it, so that the line never looks green.
  console.log(`\n${passed} passed, ${failed + (failed === 0 ? failedSteps : 0)} failed`);
  process.exit(failedSteps === 0 && failed === 0 ? 0 : 1);
}

/** Full size, for a quiet machine: kept out of `npm test`, which has to stay quick. */
function scale() {
  install();
  build();
  process.exit(runPnpm(['--filter', '@checkpoint-inspector/api', 'run', 'scale']));
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  stop(`Node ${process.versions.node} is too old: Checkpoint Inspector needs Node 20.19 or newer.`);
if (mode === 'start') start();
else if (mode === 'test') test();
else if (mode === 'scale') scale();
else stop('Usage: npm start [-- <path>…], npm test or npm run scale');
