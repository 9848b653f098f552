/** What a person grants to an agent, as written on the command line: `stores=demo,tasks=run-*,may=read+save,until=2h`. */
import { compact, InspectorError, nearest, type StoreId } from '@checkpoint-inspector/core';

export type AgentAct = 'read' | 'save' | 'propose';

export interface GrantTerms {
  /** Names with `*` for any text; absent: every one. */
  readonly stores?: readonly string[];
  readonly tasks?: readonly string[];
  readonly may: readonly AgentAct[];
  /** ISO 8601 UTC. */
  readonly until?: string;
}

/** What an act is about; without a task it is about all tasks of the store. */
export interface ActTarget {
  readonly store: StoreId;
  readonly task?: string;
}

const KEYS = ['stores', 'tasks', 'may', 'until'];
const ACTS: readonly AgentAct[] = ['read', 'save', 'propose'];
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const REMEDY =
  'Write it as stores=demo,tasks=run-*,may=read+save+propose,until=2h. A comma or plus sign in a name is %2C or %2B.';

/**
 * @throws InspectorError invalid_input that names the right spelling
 * @example parseGrant('tasks=run-*,until=2h') // { tasks: ['run-*'], may: ['save'], until: '2026-01-01T02:00:00.000Z' }
 */
export function parseGrant(text: string, now = Date.now()): GrantTerms {
  const given = new Map<string, string>();
  for (const part of text.split(',')) {
    const [key = '', ...value] = part.split('=');
    refuseUnknown(key.trim(), KEYS);
    if (value.length === 0 || value.join('=') === '' || given.has(key.trim()))
      throw wrong(`Give "${key.trim()}" once, with a value.`);
    given.set(key.trim(), value.join('=').trim());
  }
  const listed = (key: string): string[] | undefined => given.get(key)?.split('+').map(decoded);
  const may = listed('may') ?? ['save'];
  for (const one of may) refuseUnknown(one, ACTS);
  return {
    may: ACTS.filter((act) => may.includes(act)),
    ...compact({ stores: listed('stores'), tasks: listed('tasks'), until: untilOf(given.get('until'), now) }),
  };
}

/** True where the terms name the store and, of an act about a task, the task. */
export function covers({ stores, tasks }: GrantTerms, { store, task }: ActTarget): boolean {
  return matches(stores, store) && (task === undefined || matches(tasks, task));
}

const matches = (patterns: readonly string[] | undefined, name: string): boolean =>
  patterns === undefined || patterns.some((pattern) => isLike(pattern, name));

/** Each part of the pattern is looked for after the one before: no pattern takes long. */
function isLike(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at + last.length <= name.length;
}

function untilOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && (unit === 'm' || unit === 'h' || unit === 'd'))
    return new Date(now + Number(count) * UNIT_MS[unit]).toISOString();
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw wrong(`"${text}" isn't a time: write until=30m, 2h, 7d, 2026-12-01 or 2026-12-01T18:00:00Z.`);
  return new Date(time).toISOString();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    throw wrong(`"${text}" has a % that begins no character.`);
  }
}

function refuseUnknown(word: string, known: readonly string[]): void {
  if (known.includes(word)) return;
  throw wrong(`Unknown word "${word}" in a grant; did you mean "${nearest(word, known) ?? known[0]}"?`);
}

const wrong = (message: string): InspectorError => new InspectorError('invalid_input', message, { remedy: REMEDY });
