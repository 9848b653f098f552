import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { InspectorError } from '@checkpoint-inspector/core';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const nodeMajor = Number(process.versions.node.split('.')[0]);

export type Driver = typeof BetterSqlite3;
export type DriverDatabase = BetterSqlite3.Database;
type Load = (name: string) => unknown;

/** Which package is loaded on a Node, and what npm installs it from. */
export interface DriverPackage {
  readonly name: string;
  readonly spec: string;
  /** Its own install script has to compile or fetch it. */
  readonly compiled: boolean;
  load(load: Load): Driver;
}

const CURRENT: DriverPackage = {
  name: 'better-sqlite3-napi',
  spec: 'better-sqlite3-napi@npm:better-sqlite3@13.2.0',
  compiled: false,
  load: (load) => load('better-sqlite3-napi') as Driver,
};

const NODE_20: DriverPackage = {
  name: 'better-sqlite3',
  spec: 'better-sqlite3@12.11.1',
  compiled: true,
  load(load) {
    refuseNewer(load);
    return load('better-sqlite3') as Driver;
  },
};

/** better-sqlite3 13 needs Node 22 and brings its binary along; 12 is the last one for Node 20. */
export const driverFor = (major: number): DriverPackage => (major >= 22 ? CURRENT : NODE_20);

/** An optional peer may be any version that is there: 13 ends the process of Node 20 without a word. */
function refuseNewer(load: Load): void {
  const { version } = load('better-sqlite3/package.json') as { version: string };
  if (Number(version.split('.')[0]) < 13) return;
  throw new InspectorError('unsupported', `better-sqlite3 ${version} does not run on Node 20.`, {
    remedy: remedy(installCommand(NODE_20, import.meta.url), NODE_20),
  });
}

/** @throws InspectorError unsupported, naming the command that installs the driver */
export function loadDriver(load: Load = require): Driver {
  const driver = driverFor(nodeMajor);
  try {
    return driver.load(load);
  } catch (cause) {
    if (InspectorError.is(cause)) throw cause;
    throw missingDriver(cause, driver);
  }
}

/** The driver is absent, or its compiled part is: each has its own command. */
export function missingDriver(
  cause: unknown,
  driver: DriverPackage = driverFor(nodeMajor),
  where: string = import.meta.url,
): InspectorError {
  const node = `Node ${process.versions.node}`;
  const uncompiled = driver.compiled && !isAbsent(cause);
  const message = uncompiled
    ? `The SQLite driver ${driver.name} is installed but not compiled for ${node}.`
    : `The SQLite driver ${driver.name} is not installed for ${node}.`;
  const command = uncompiled ? rebuildCommand(driver, where) : installCommand(driver, where);
  return new InspectorError('unsupported', message, { cause, remedy: remedy(command, driver) });
}

const isAbsent = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'MODULE_NOT_FOUND';

const remedy = (command: string, driver: DriverPackage): string =>
  driver.compiled ? `Run: ${command} (or use Node 22 or newer, where nothing is compiled)` : `Run: ${command}`;

/** The version of SQLite inside the driver. @throws InspectorError unsupported, when no driver loads */
export function sqliteVersion(): string {
  const Database = loadDriver();
  try {
    const database = new Database(':memory:');
    const version: unknown = database.prepare('SELECT sqlite_version()').pluck().get();
    database.close();
    return String(version);
  } catch (cause) {
    throw missingDriver(cause);
  }
}

interface Named {
  readonly name: string;
  readonly spec: string;
  readonly compiled: boolean;
}

/** How the program came onto this machine: each way has its own command for one more package. */
type Way = { readonly kind: 'npm' | 'global' | 'pnpm' } | { readonly kind: 'npx'; readonly folder: string };

function wayOf(where: string): Way {
  const path = (where.startsWith('file:') ? fileURLToPath(where) : where).replaceAll('\\', '/');
  const folder = path.split('/node_modules/')[0] ?? '';
  if (path.includes('/_npx/')) return { kind: 'npx', folder };
  if (path.includes('/node_modules/.pnpm/')) return { kind: 'pnpm' };
  const global = /\/(?:lib|npm)\/node_modules\/checkpoint-inspector\//.test(path);
  return { kind: global && !existsSync(join(folder, 'package.json')) ? 'global' : 'npm' };
}

/** The command that adds a driver; it allows the install script where the driver has one. */
export function installCommand({ name, spec, compiled }: Named, where: string): string {
  const scripts = compiled ? ' --ignore-scripts=false' : '';
  const way = wayOf(where);
  if (way.kind === 'npx') return `npx${scripts} -p checkpoint-inspector -p ${spec} checkpoint-inspector`;
  if (way.kind === 'pnpm') return `pnpm add ${spec}${compiled ? ` --allow-build=${name}` : ''}`;
  return `npm install ${way.kind === 'global' ? '-g ' : ''}${spec}${scripts}`;
}

/** The command that compiles a driver whose install script did not run, or ran on another Node. */
export function rebuildCommand(driver: Named, where: string): string {
  const { name } = driver;
  const way = wayOf(where);
  const rebuild = `npm rebuild ${name} --ignore-scripts=false`;
  if (way.kind === 'npx') return `${rebuild} --prefix "${way.folder}"`;
  if (way.kind === 'pnpm') return `${installCommand(driver, where)} && pnpm rebuild ${name}`;
  return way.kind === 'global' ? `${rebuild} -g` : rebuild;
}
