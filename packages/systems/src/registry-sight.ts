/** What a target shows before a system is loaded for it: most are told apart by their kind, name or tables alone. */
import type { Target } from '@checkpoint-inspector/core';
import { lookInto, tableShapes } from '@checkpoint-inspector/io';
import { basename } from 'node:path';

type Tables = ReadonlyMap<string, ReadonlySet<string>>;

export interface Sight {
  readonly is: 'file' | 'folder' | 'address';
  /** The last part of a path. */
  readonly name: string;
  /**
   * Its tables by their names in lower case, with their columns; none where it isn't a database, `undefined` where
   * that can't be told. The database is opened when this is first asked for.
   */
  readonly tables: () => Tables | undefined;
}

/** True where a target may be of a system, false only where it certainly isn't. */
export interface MayBe {
  (sight: Sight): boolean;
  /** What it looks for, in words that follow "it looks for". */
  readonly wants?: string;
}

export function sightOf(target: Target): Sight {
  if (target.kind === 'address') return { is: 'address', name: '', tables: () => undefined };
  const { is, path } = target;
  let seen: { readonly tables: Tables | undefined } | undefined;
  return { is, name: basename(path), tables: () => (seen ??= { tables: tablesIn(path) }).tables };
}

function tablesIn(path: string): Tables | undefined {
  try {
    return lookInto(path, tableShapes) ?? new Map();
  } catch {
    // The system that tries to read it tells why that fails.
    return undefined;
  }
}

/** Database files with a table of such a name and these columns. @example databaseWith(/^checkpoints$/, ['thread_id']) */
export function databaseWith(table: RegExp, columns: readonly string[]): MayBe {
  const test = ({ is, tables }: Sight): boolean => {
    if (is !== 'file') return false;
    const found = tables();
    if (found === undefined) return true;
    return [...found].some(([name, own]) => table.test(name) && columns.every((column) => own.has(column)));
  };
  return Object.assign(test, {
    wants: `a SQLite file with a table ${namesOf(table).join(' or ')} that has the columns ${columns.join(', ')}`,
  });
}

/** The names that a pattern means, as people write them. @example namesOf(/\.jsonl?$/) // ['*.jsonl', '*.json'] */
export function namesOf({ source }: RegExp): readonly string[] {
  const [start, end] = [source.startsWith('^') ? '' : '*', source.endsWith('$') ? '' : '*'];
  const body = source
    .replaceAll(/^\^|\$$/g, '')
    .replaceAll(/(?:\[\^\.\])?\.\*/g, '*')
    .replaceAll(String.raw`\.`, '.');
  return spelledOut(body).map((name) => `${start}${name}${end}`);
}

/** Each way through groups and what may be missing. */
function spelledOut(text: string): readonly string[] {
  const found = /\((?<group>[^()]*)\)(?<mayMiss>\?)?|(?<letter>\w)\?/.exec(text);
  if (found === null) return [text];
  const { group, mayMiss, letter = '' } = found.groups ?? {};
  const ways = group === undefined ? [letter, ''] : [...group.split('|'), ...(mayMiss ? [''] : [])];
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  return ways.flatMap((way) => spelledOut(before + way + after));
}

/** The same, or any address: what is there, only its server tells. */
export function orAddress(mayBe: MayBe): MayBe {
  const test = (sight: Sight): boolean => sight.is === 'address' || mayBe(sight);
  return Object.assign(test, { wants: `${mayBe.wants ?? 'a file'}, or an address` });
}

export const fileWithoutTables: MayBe = Object.assign(
  ({ is, tables }: Sight): boolean => is === 'file' && !tables()?.size,
  { wants: 'a file that is not a database' },
);

/** What a description says, only its system knows. */
export const anything: MayBe = Object.assign((): boolean => true, { wants: 'what a description names' });

/** Folders, and files with such a name. @example documents(/\.json$/) */
export function documents(names: RegExp): MayBe {
  const test = ({ is, name }: Sight): boolean => is === 'folder' || (is === 'file' && names.test(name));
  return Object.assign(test, { wants: `a folder, or a file with a name like ${namesOf(names).join(' or ')}` });
}
