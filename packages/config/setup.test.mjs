import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startArguments } from './arguments.mjs';
import { cleanEnv } from './pnpm.mjs';
import { dueSteps, setUp, shipsCompiled, startsDriver } from './setup.mjs';

/** Prints as pnpm does, and leaves behind what an install and a build leave behind. */
const FAKE_PNPM = `
const { mkdirSync, writeFileSync } = require('node:fs');
const put = (path, text) => { mkdirSync(require('node:path').dirname(path), { recursive: true }); writeFileSync(path, text); };
const args = process.argv.slice(2);
console.log('Progress: resolved 1, reused 0');
console.error('WARN  a warning of the package manager');
console.log('.../node_modules/better-sqlite3 install$ prebuild-install || node-gyp rebuild --release');
console.log('.../node_modules/better-sqlite3 install: CXX(target) Release/obj.target/better_sqlite3.o');
if (process.env.FAKE_FAILS === args[0]) { console.error('it broke here'); process.exit(1); }
for (const name of ['better-sqlite3', 'better-sqlite3-napi'])
  put('node_modules/' + name + '/index.js', 'module.exports = class {}');
if (args[0] === 'exec') put('apps/cli/dist/cli.js', '');
`;

describe('setting up a checkout', () => {
  let root;
  let said;
  const compiled = shipsCompiled(process.versions.node);
  const put = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const setUpHere = (env = {}, build = true) =>
    setUp({
      root,
      env: { ...process.env, ...env },
      pnpm: () => [process.execPath, join(root, 'pnpm.cjs')],
      say: (line) => said.push(line),
      build,
    });

  beforeEach(() => {
    said = [];
    root = mkdtempSync(join(tmpdir(), 'setup-'));
    for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'packages/io/a.ts', 'apps/cli/a.ts']) put(name, '1');
    put('pnpm.cjs', FAKE_PNPM);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('says one line when a step begins and one when it is done, and nothing of what the tools print', async () => {
    await setUpHere();
    const names = compiled ? ['packages', 'building'] : ['packages', 'SQLite driver', 'building'];
    const lines = names.flatMap((name, at) => [
      `${at + 1}/${names.length} ${name}…`,
      expect.stringMatching(new RegExp(`^${at + 1}/${names.length} ${name}: done in \\d+ s$`)),
    ]);
    expect(said).toEqual([expect.stringMatching(/^Setting up\. This happens once/), ...lines]);
  });

  it('keeps what the tools print in a file', async () => {
    await setUpHere();
    const log = readFileSync(join(root, 'node_modules/.cache/setup.log'), 'utf8');
    expect(log).toContain('install --frozen-lockfile');
    expect(log).toContain('WARN  a warning of the package manager');
    expect(log).toContain('CXX(target)');
    expect(log.includes('--ignore-scripts')).toBe(compiled);
  });

  it('says nothing and runs nothing when all is there already', async () => {
    await setUpHere();
    said = [];
    await setUpHere({ FAKE_FAILS: 'install' });
    expect(said).toEqual([]);
  });

  it('builds again, without an install, when a source file changed', async () => {
    await setUpHere();
    said = [];
    put('apps/cli/a.ts', 'changed');
    await setUpHere();
    expect(said).toEqual([
      'Building what changed since the last start.',
      '1/1 building…',
      expect.stringMatching(/done/),
    ]);
  });

  it('leaves the build to the tests where they do it themselves', async () => {
    await setUpHere({}, false);
    expect(said.join('\n')).not.toContain('building');
  });

  it.each([['exec', 'The build failed.'], ...(compiled ? [['install', 'The packages could not be installed.']] : [])])(
    'shows the end of the output and its path when `%s` fails, and tries again next time',
    async (command, words) => {
      const failed = await setUpHere({ FAKE_FAILS: command }).catch((error) => error.message);
      expect(failed).toContain('it broke here');
      expect(failed).toContain(words);
      expect(failed).toContain(join(root, 'node_modules/.cache/setup.log'));
      said = [];
      await setUpHere();
      expect(said.at(-1)).toMatch(/building: done/);
    },
  );
});

it("compiles SQLite on Node 20 only, and knows pnpm's line for it", () => {
  expect(['20.19.0', '22.0.0', '24.21.0'].map(shipsCompiled)).toEqual([false, true, true]);
  expect(dueSteps({ install: true, build: true, compiled: true })).toEqual(['packages', 'building']);
  expect(startsDriver('.../node_modules/better-sqlite3 install$ prebuild-install || node-gyp rebuild --release')).toBe(
    true,
  );
  expect(startsDriver('.../node_modules/better-sqlite3 install: CC(target) sqlite3.o')).toBe(false);
});

it('starts the demo where no store is named', () => {
  expect(startArguments(['--port', '0', '--key-file', 'k'])).toEqual(['--demo', '--port', '0', '--key-file', 'k']);
  expect(startArguments(['--token', 'a', 'a'])).toEqual(['--token', 'a', 'a']);
  expect(startArguments(['--demo'])).toEqual(['--demo']);
  expect(startArguments(['--help'])).toEqual(['--help']);
});

it("hands the way to the registry on to pnpm, and nothing else of npm's", () => {
  const env = cleanEnv({
    npm_config_registry: 'r',
    npm_config_ignore_scripts: 'x',
    npm_lifecycle_event: 'e',
    HOME: 'h',
  });
  expect(env).toMatchObject({ npm_config_registry: 'r', HOME: 'h' });
  expect(Object.keys(env).filter((key) => /ignore_scripts|lifecycle/.test(key))).toEqual([]);
});
