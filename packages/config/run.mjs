// The one script behind `npm start` and `npm test`: needs Node, npm and git, and sets up everything else.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startArguments } from './arguments.mjs';
import { findChromium } from './chromium.mjs';
import { cleanEnv, pnpmCommand } from './pnpm.mjs';
import { clearResults, failedTasks, failuresIn, skippedFor, sumResults } from './results.mjs';
import { builtCommand, setUp } from './setup.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const [mode, ...args] = process.argv.slice(2);
/** Standard output belongs to the command: its start line may be read by a program. */
const say = (text) => process.stderr.write(`${text}\n`);

function stop(text) {
  say(text);
  process.exit(1);
}

const env = cleanEnv();
/** As the tests over PostgreSQL are named where they have no server; in CI they fail. */
const NO_POSTGRES = 'no PostgreSQL server for the tests';
/** As the tests that cut off writes are named where they can't. */
const NO_FAULTS = 'no fault injection';
let found;
const pnpm = () => (found ??= pnpmCommand(root, env));

function runPnpm(pnpmArgs) {
  const [command, ...first] = pnpm();
  const done = spawnSync(command, [...first, ...pnpmArgs], {
    cwd: root,
    env,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  return done.status ?? 1;
}

async function ready({ build }) {
  try {
    await setUp({ root, env, pnpm, say, build });
  } catch (error) {
    stop(error instanceof Error ? error.message : String(error));
  }
}

async function start() {
  await ready({ build: true });
  const child = spawn(process.execPath, [builtCommand(root), ...startArguments(args)], {
    stdio: 'inherit',
    cwd: process.env['INIT_CWD'] ?? process.cwd(),
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm ends without telling us when it is killed: our parent changes then.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}

function useChromium() {
  const chromium = findChromium({ root, say });
  if (!chromium.ok) stop(chromium.message);
  if (chromium.path) env['CHROMIUM_PATH'] = chromium.path;
}

async function test() {
  await ready({ build: false });
  useChromium();
  clearResults(root);
  // CI trusts no cache.
  const force = process.env['CI'] ? ['--force'] : [];
  const turbo = (...tasks) => ['exec', 'turbo', 'run', ...tasks, '--continue', '--output-logs=new-only', '--summarize'];
  run([
    { name: 'build', command: turbo('build', ...force) },
    // After the build, and only these in CI: the command's tests run what was built, and e2e is checked against its types.
    {
      name: 'types, lint, unit and conformance tests',
      command: turbo('test', '//#lint', '--concurrency=3', ...force, ...(force.length > 0 ? ['--only'] : [])),
    },
    { name: 'browser tests: journeys', command: playwright('journeys') },
  ]);
}

const playwright = (project) => [
  '--filter',
  '@checkpoint-inspector/e2e',
  'exec',
  'playwright',
  'test',
  '--project',
  project,
];

/** The browser tests that take long: every screen, size and theme, hostile data, large stores. */
async function rounds() {
  await ready({ build: true });
  useChromium();
  clearResults(root);
  run([{ name: 'browser tests: rounds', command: playwright('rounds') }]);
}

/** All steps, also after one that failed; ends with how many tests passed and failed. */
function run(steps) {
  const failedSteps = [];
  for (const { name, command } of steps) {
    say(`\n== ${name}`);
    if (runPnpm(command) !== 0) {
      const tasks = command.includes('turbo') ? failedTasks(root) : [];
      failedSteps.push([name, ...tasks].join(': '));
      say(`== ${name}: FAILED`);
    }
  }
  for (const reason of [NO_POSTGRES, NO_FAULTS]) {
    const skipped = skippedFor(root, reason);
    if (skipped > 0) console.log(`\n${skipped} tests skipped: ${reason}.`);
  }
  const { passed, failed } = sumResults(root);
  for (const line of [...failedSteps, ...failuresIn(root)]) console.log(`failed: ${line}`);
  // A step can fail without a failed test (lint, types): count it, so that the line never looks green.
  console.log(`\n${passed} passed, ${failed + (failed === 0 ? failedSteps.length : 0)} failed`);
  process.exit(failedSteps.length === 0 && failed === 0 ? 0 : 1);
}

/** Full size, for a quiet machine: kept out of `npm test`, which has to stay quick. */
async function scale() {
  await ready({ build: true });
  useChromium();
  // One after the other, and the rest also after a failure: each prints what it measured.
  process.exit(runPnpm(['-r', '--workspace-concurrency=1', '--no-bail', 'run', 'scale']));
}

/** Our changes against the systems themselves, which are installed from the registry for the time of the run. */
async function interop() {
  await ready({ build: false });
  const code = runPnpm(['--filter', '@checkpoint-inspector/systems', 'run', 'interop', ...args]);
  say(`\nThe whole took ${(process.uptime() / 60).toFixed(1)} minutes.`);
  process.exit(code);
}

/** Every change of every system, cut off at many of its writes. */
async function faults() {
  await ready({ build: true });
  const code = runPnpm(['--filter', 'checkpoint-inspector', 'run', 'faults', ...args]);
  say(`\nThe whole took ${(process.uptime() / 60).toFixed(1)} minutes.`);
  process.exit(code);
}

/** Our store against others, in one interleaved run: for a quiet machine. */
async function bench() {
  await ready({ build: false });
  const { status } = spawnSync(process.execPath, [resolve(root, 'packages/bench/bench.mjs'), ...args], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  process.exit(status ?? 1);
}

/** Packs what would be published, installs it in empty folders and uses it there, on each Node that npm can bring. */
async function packageRound() {
  await ready({ build: true });
  const notes = resolve(root, 'apps/cli/node_modules/.cache/package-round.txt');
  rmSync(notes, { force: true });
  const code = runPnpm(['--filter', 'checkpoint-inspector', 'run', 'package']);
  if (existsSync(notes)) console.log(`\n${readFileSync(notes, 'utf8').trim()}`);
  process.exit(code);
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  stop(`Node ${process.versions.node} is too old: Checkpoint Inspector needs Node 20.19 or newer.`);
const modes = { start, test, rounds, scale, bench, interop, faults, package: packageRound };
if (Object.hasOwn(modes, mode ?? '')) await modes[mode]();
else
  stop(
    'Usage: npm start [-- <path>…], npm test, npm run rounds, npm run scale, npm run bench, npm run interop, npm run faults or npm run package',
  );
