import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openSqlite, outside, removeOutside, sqliteVersion, type Outside } from '@checkpoint-inspector/io';
import { journalFolder } from '@checkpoint-inspector/changes';
import { ask, NOT_AS_EXPECTED, print, printable, size, table, type Output } from '../output.ts';
import type { Verbs } from '../verbs.ts';
import { ERROR_CODES, InspectorError, isAddress } from '@checkpoint-inspector/core';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export function addDoctor(verbs: Verbs): void {
  verbs
    .add('doctor [store]', {
      group: 'help',
      about:
        "check the environment and what the program keeps outside stores, or describe a store's structure for a report: nothing that is saved in it",
      examples: ['doctor', 'doctor --clean', 'doctor ./checkpoints.sqlite', 'doctor ./kaizen --json'],
    })
    .option('--clean', 'remove what processes that have ended left outside stores')
    .option('--caches', 'with --clean: caches as well; they are made again when needed')
    .option('-y, --yes', 'with --clean: remove without asking')
    .option('--json', 'print JSON')
    .action(async (store: string | undefined, options: CleanOptions) => {
      const { clean = false, caches = false, yes = false } = options;
      if (!clean && (caches || yes))
        throw new InspectorError('invalid_input', `${caches ? '--caches' : '--yes'} needs --clean.`);
      if (clean && store !== undefined) throw new InspectorError('invalid_input', 'A store is never cleaned.');
      if (clean) await removeLeft(verbs.output, { caches, yes });
      else if (store !== undefined) await describe(verbs, store);
      else if (!doctor(verbs.output)) process.exitCode = 1;
    });
}

interface CleanOptions {
  readonly clean?: boolean;
  readonly caches?: boolean;
  readonly yes?: boolean;
}

const stateFolder = (): string => journalFolder(process.env, process.platform);

function doctor(output: Output): boolean {
  const checks = [nodeVersion(), driver(), journal()];
  const found = outside(stateFolder());
  print(output, { items: checks, outside: found }, () => [
    ...checks.map(({ name, ok, detail }) => printable(`${ok ? 'ok  ' : 'FAIL'} ${name}: ${detail}`)),
    ...outsideLines(output, found),
  ]);
  return checks.every(({ ok }) => ok);
}

function outsideLines({ terminal }: Output, found: readonly Outside[]): string[] {
  if (found.length === 0) return ['Nothing of the program is outside stores.'];
  const rows = found.map((one) => [one.path, one.what, size(one.bytes), one.modifiedAt.slice(0, 16), ownerWords(one)]);
  return ['', ...table(['OUTSIDE STORES', 'WHAT', 'SIZE', 'CHANGED', 'BELONGS TO'], rows, terminal)];
}

function ownerWords({ owner, pid = 0 }: Outside): string {
  return {
    person: 'you',
    cache: 'nobody: a cache',
    running: `process ${pid}`,
    gone: `nobody: process ${pid} has ended`,
    elsewhere: `process ${pid} on another machine or in another container`,
  }[owner];
}

async function removeLeft(output: Output, { caches, yes }: Required<Omit<CleanOptions, 'clean'>>): Promise<void> {
  const found = outside(stateFolder()).filter(({ owner }) => owner === 'gone' || (caches && owner === 'cache'));
  if (!yes && found.length > 0) {
    for (const line of outsideLines(output, found)) output.note(line);
    await ask(`Remove ${found.length} permanently? [y/N] `);
  }
  const done = found.map((one) => ({
    ...one,
    removed: one.owner === 'cache' ? removeCache(one.path) : removeOutside(one.path),
  }));
  print(output, { items: done }, () => [
    ...done.map(({ path, bytes, removed }) =>
      removed ? `removed ${path}, ${size(bytes)}` : `not removed: ${path} is in use, or isn't this user's`,
    ),
    ...(done.length === 0 ? ['Nothing is left to remove.'] : []),
  ]);
}

/** Only while no process has it open: one that had would remove the log of the next file as it ends. */
function removeCache(path: string): boolean {
  try {
    const database = openSqlite(path, { readOnly: false, busyTimeoutMs: 250 });
    try {
      // Nobody else may have it open for this.
      if (database.pragma('journal_mode = DELETE') !== 'delete') return false;
    } finally {
      database.close();
    }
  } catch (error) {
    if (InspectorError.from(error).code === 'busy') return false;
  }
  return ['-wal', '-shm', '-journal', ''].every((side) => removeOutside(path + side));
}

function nodeVersion(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return { name: 'Node', ok: major > 20 || (major === 20 && minor >= 19), detail: process.versions.node };
}

function driver(): Check {
  try {
    return { name: 'SQLite', ok: true, detail: sqliteVersion() };
  } catch (error) {
    return { name: 'SQLite', ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

/** True for reading as well: that leaves nothing behind. */
const notYet = (folder: string): string => `${folder} (created by the first change, label or note)`;

function journal(): Check {
  const folder = stateFolder();
  if (!existsSync(folder)) return { name: 'journal', ok: true, detail: notYet(folder) };
  const mode = statSync(folder).mode & 0o777;
  const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0;
  if (isOpen) return { name: 'journal', ok: false, detail: `${folder} is readable by others: chmod 700 it` };
  return { name: 'journal', ok: true, detail: existsSync(join(folder, 'journal.sqlite')) ? folder : notYet(folder) };
}

async function describe({ output, version }: Verbs, store: string): Promise<void> {
  // Loaded by those who ask for it.
  const { defaultRegistry, describeStore } = await import('@checkpoint-inspector/inspector');
  const { structureLines } = await import('../structure-lines.ts');
  const structure = await describeStore(defaultRegistry(), isAddress(store) ? store : resolve(store));
  const { ok, detail } = driver();
  const on = { version, node: process.versions.node, sqlite: ok ? detail : 'none', platform: process.platform };
  print(output, { ...on, ...structure }, () => structureLines(on, structure).map(printable));
}

const ROWS = [
  ...Object.entries(ERROR_CODES).map(([code, { exit, means, remedy }]) => ({ exit, code, means, remedy })),
  {
    exit: NOT_AS_EXPECTED,
    code: 'not_as_expected',
    means: 'The value that `explain --expect` names is another one at the end.',
    remedy: 'Look at the first checkpoint that has another value; it is printed.',
  },
].toSorted((a, b) => a.exit - b.exit);

export function addExitCodes(verbs: Verbs): void {
  verbs
    .add('exit-codes', {
      group: 'help',
      about: 'list the exit codes, what they mean and what to do about each one',
      examples: ['exit-codes', 'exit-codes --json', 'help exit-codes'],
    })
    .option('--json', 'print JSON')
    .addHelpText('after', () => `\n${lines().join('\n')}`)
    .action(() => print(verbs.output, { items: ROWS }, () => lines(verbs.output.terminal)));
}

/** The table of errors, which the API and the documentation use too. */
const lines = (terminal?: Output['terminal']): string[] => [
  ...table(
    ['EXIT', 'CODE', 'MEANING', 'WHAT TO DO'],
    [['0', '', 'Success.', ''], ...ROWS.map(({ exit, code, means, remedy }) => [String(exit), code, means, remedy])],
    terminal,
  ),
];
