import { existsSync, statSync } from 'node:fs';
import { sqliteVersion } from '@checkpoint-inspector/io';
import { journalFolder } from '@checkpoint-inspector/journal';
import { print, printable } from '../output.ts';
import type { Output } from '../output.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** `doctor`: what this program runs on, where its journal is, and whether both work. */
export function doctor(output: Output): boolean {
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

function journal(): Check {
  const folder = journalFolder(process.env, process.platform);
  if (!existsSync(folder)) return { name: 'journal', ok: true, detail: `${folder} (made at the first change)` };
  const mode = statSync(folder).mode & 0o777;
  const open = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return { name: 'journal', ok: !open, detail: open ? `${folder} is readable by others: chmod 700 it` : folder };
}
