// Brings a checkout to the point where its command runs: packages, the SQLite driver, the build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLog, createSteps, runLogged } from './progress.mjs';

const PACKAGES = 'packages';
const DRIVER = 'SQLite driver';
const BUILD = 'building';
const COMPILER = 'apt-get install -y --no-install-recommends python3 make g++';

/** From Node 22 on the SQLite driver ships compiled, and nothing else needs an install script. */
export const shipsCompiled = (version) => Number(version.split('.')[0]) >= 22;

/** pnpm's line when it starts the install script of the driver. */
export const startsDriver = (line) => /better-sqlite3\S* install\$/.test(line);

/** The steps that are due, in order. */
export function dueSteps({ install, build, compiled }) {
  return [...(install ? [PACKAGES] : []), ...(install && !compiled ? [DRIVER] : []), ...(build ? [BUILD] : [])];
}

/** @throws Error with what failed, the end of what was printed and where the rest is */
export async function setUp({ root, env, pnpm, say, build: wantsBuild }) {
  const compiled = shipsCompiled(process.versions.node);
  const stamps = { install: stamp(root, '.install-stamp', installInputs), build: stamp(root, '.build-stamp', sources) };
  const build = wantsBuild && (!existsSync(builtCommand(root)) || !stamps.build.holds());
  const names = dueSteps({ install: !stamps.install.holds(), build, compiled });
  if (names.length === 0) return;
  const log = createLog(join(root, 'node_modules/.cache/setup.log'));
  say(
    names.includes(PACKAGES)
      ? 'Setting up. This happens once and takes a minute or two.'
      : 'Building what changed since the last start.',
  );
  const steps = createSteps({ say, names });
  const run = (args, onLine) => {
    const [command, ...first] = pnpm();
    return runLogged(command, [...first, ...args], { log, cwd: root, env, onLine });
  };
  const job = { root, env, log, steps, say, compiled, run };
  try {
    if (names.includes(PACKAGES)) await install(job, stamps.install);
    if (build) await buildAll(job, stamps.build);
    steps.end();
  } finally {
    steps.stop();
  }
}

export const builtCommand = (root) => join(root, 'apps/cli/dist/cli.js');

async function install(job, mark) {
  const { steps, compiled } = job;
  const args = ['install', '--frozen-lockfile', ...(compiled ? ['--ignore-scripts'] : [])];
  const packages = () => job.run(args, (line) => !compiled && startsDriver(line) && steps.begin(DRIVER));
  steps.begin(PACKAGES);
  const first = await packages();
  if (first !== 0 && steps.running() !== DRIVER) fail(job, 'The packages could not be installed.');
  if (!compiled) steps.begin(DRIVER);
  if (!driverLoads(job)) await compileDriver(job, packages);
  mark.write();
}

/** Only on Node 20: the driver is there but not compiled, most often because there is no compiler. */
async function compileDriver(job, packages) {
  const advice = `Install a compiler (on Debian: sudo ${COMPILER}), or use Node 22 or newer, and start again.`;
  if (job.compiled) fail(job, 'The SQLite driver does not load.');
  const apt = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!apt) fail(job, `The SQLite driver could not be built. ${advice}`);
  job.say('The SQLite driver needs a compiler: installing one.');
  await runLogged('sh', ['-c', `apt-get update && ${COMPILER}`], { log: job.log, env: job.env });
  await packages();
  if (!driverLoads(job)) await job.run(['rebuild', '-r', 'better-sqlite3']);
  if (!driverLoads(job)) fail(job, `The SQLite driver could not be built. ${advice}`);
}

function driverLoads({ root, compiled }) {
  const name = compiled ? 'better-sqlite3-napi' : 'better-sqlite3';
  const script = `new (require(${JSON.stringify(name)}))(':memory:')`;
  return spawnSync(process.execPath, ['-e', script], { cwd: join(root, 'packages/io') }).status === 0;
}

async function buildAll(job, mark) {
  job.steps.begin(BUILD);
  const status = await job.run(['exec', 'turbo', 'run', 'build', '--output-logs=errors-only']);
  if (status !== 0) fail(job, 'The build failed.');
  mark.write();
}

function fail({ log }, text) {
  throw new Error(`\n${log.tail()}\n\n${text}\nThe lines above are the end of ${log.path}`);
}

/** Remembers what was worked on, so that the same inputs are not worked on again. */
function stamp(root, name, inputsOf) {
  const path = join(root, 'node_modules', name);
  const inputs = inputsOf(root);
  return {
    holds: () => existsSync(path) && readFileSync(path, 'utf8') === inputs,
    write() {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, inputs);
    },
  };
}

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

const installInputs = (root) =>
  sha256(
    [readFileSync(join(root, 'pnpm-lock.yaml')), readFileSync(join(root, 'pnpm-workspace.yaml')), process.version].join(
      '\n',
    ),
  );

function sources(root) {
  const stat = (path) => {
    const { size, mtimeMs } = statSync(path);
    return `${path} ${size} ${mtimeMs}`;
  };
  const files = ['apps', 'packages'].flatMap((top) => [...filesBelow(join(root, top))]);
  return sha256(files.map(stat).join('\n') + process.version);
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}
