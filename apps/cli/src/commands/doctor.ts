import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sqliteVersion } from '@checkpoint-inspector/io';
import { journalFolder } from '@checkpoint-inspector/changes';
import { print, printable, table, type Output } from '../output.ts';
import type { Verbs } from '../verbs.ts';
import { ERROR_CODES, isAddress } from '@checkpoint-inspector/core';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export function addDoctor(verbs: Verbs): void {
  verbs
    .add('doctor [store]', {
      group: 'help',
      about: "check the environment, or describe a store's structure for a report: nothing that is saved in it",
      examples: ['doctor', 'doctor ./checkpoints.sqlite', 'doctor ./kaizen --json'],
    })
    .option('--json', 'print JSON')
    .action(async (store: string | undefined) => {
      if (store !== undefined) await describe(verbs, store);
      else if (!doctor(verbs.output)) process.exitCode = 1;
    });
}

function doctor(output: Output): boolean {
  const checks = [nodeVersion(), driver(), journal()];
  print(output, { items: checks }, () =>
    checks.map(({ name, ok, detail }) => printable(`${ok ? 'ok  ' : 'FAIL'} ${name}: ${detail}`)),
  );
  return checks.every(({ ok }) => ok);
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
  const folder = journalFolder(process.env, process.platform);
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

const ROWS = Object.entries(ERROR_CODES)
  .map(([code, { exit, remedy }]) => ({ exit, code, remedy }))
  .toSorted((a, b) => a.exit - b.exit);

export function addExitCodes(verbs: Verbs): void {
  verbs
    .add('exit-codes', {
      group: 'help',
      about: 'list the exit codes and what to do about each one',
      examples: ['exit-codes', 'exit-codes --json', 'help exit-codes'],
    })
    .option('--json', 'print JSON')
    .addHelpText('after', () => `\n${lines().join('\n')}`)
    .action(() => print(verbs.output, { items: ROWS }, () => lines(verbs.output.terminal)));
}

/** The table of errors, which the API and the documentation use too. */
const lines = (terminal?: Output['terminal']): string[] => [
  ...table(
    ['EXIT', 'CODE', 'WHAT TO DO'],
    [['0', '', 'Success.'], ...ROWS.map(({ exit, code, remedy }) => [String(exit), code, remedy])],
    terminal,
  ),
];
