import { expect, test } from 'vitest';
import { driverFor, missingDriver } from './driver.ts';

const old = driverFor(20);
const absent = Object.assign(new Error("Cannot find module 'better-sqlite3'"), { code: 'MODULE_NOT_FOUND' });
const notCompiled = new Error('Could not locate the bindings file. Tried: …');
const remedy = (cause: unknown, driver = old, where = '/app/node_modules/checkpoint-inspector/dist/cli.js') =>
  missingDriver(cause, driver, where).remedy;

test('from Node 22 on the driver is the one that ships compiled', () => {
  expect([20, 22, 24].map((major) => driverFor(major).name)).toEqual([
    'better-sqlite3',
    'better-sqlite3-napi',
    'better-sqlite3-napi',
  ]);
});

test('on Node 20 a missing driver is remedied by a command that may run the install script', () => {
  expect(missingDriver(absent, old).message).toContain('better-sqlite3 is not installed');
  expect(remedy(absent)).toContain('npm install better-sqlite3@12.11.1 --ignore-scripts=false');
  expect(remedy(absent)).toContain('or use Node 22 or newer');
});

test('a driver whose install script was blocked is compiled, not installed again', () => {
  expect(missingDriver(notCompiled, old).message).toContain('better-sqlite3 is installed but not compiled');
  expect(remedy(notCompiled)).toContain('npm rebuild better-sqlite3 --ignore-scripts=false');
  const pnpm = '/app/node_modules/.pnpm/checkpoint-inspector@0.1.0/node_modules/checkpoint-inspector/dist/cli.js';
  expect(remedy(notCompiled, old, pnpm)).toContain('--allow-build=better-sqlite3 && pnpm rebuild better-sqlite3');
});

test.each([
  ['/u/.npm/_npx/1f/node_modules/checkpoint-inspector/dist/cli.js', /^Run: npx .*-p better-sqlite3@12\.11\.1 /],
  ['/app/node_modules/.pnpm/checkpoint-inspector@0.1.0/node_modules/checkpoint-inspector/dist/cli.js', /^Run: pnpm /],
  ['C:\\npm\\_npx\\1f\\node_modules\\checkpoint-inspector\\dist\\cli.js', /^Run: npx /],
  ['/usr/lib/node_modules/checkpoint-inspector/dist/cli.js', /^Run: npm install -g /],
])('the command fits how the program was installed: %s', (where, command) => {
  expect(remedy(absent, old, where)).toMatch(command);
});

test('on Node 22 and newer nothing is compiled, so the remedy needs no scripts and names no other Node', () => {
  expect(remedy(absent, driverFor(24))).toBe('Run: npm install better-sqlite3-napi@npm:better-sqlite3@13.2.0');
});

test('a version that crashes Node 20 is refused before it is loaded', () => {
  const load = (name: string): unknown => {
    if (name === 'better-sqlite3/package.json') return { version: '13.2.0' };
    throw new Error('loaded');
  };
  expect(() => old.load(load)).toThrow(/better-sqlite3 13\.2\.0 does not run on Node 20/);
});
