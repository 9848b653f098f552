import { formatPath, parsePath, type Path } from '../json/path.ts';
import { maskSecrets } from '../secrets/mask.ts';
import type { Diff, Difference } from './types.ts';

const LINE_LENGTH = 60;
const LABEL_LENGTH = 24;
const VALUE_LENGTH = 24;

/** One thing worth saying, and how many rows it covers. */
interface Phrase {
  readonly text: string;
  readonly rows: number;
  /** Lower is said first. */
  readonly rank: number;
  readonly depth: number;
}

/**
 * A diff in one short line: small changed values first, those near the root before others, then counts per array.
 * About 60 characters, then how many rows are left.
 * @example 'revenue.CompanyB 4.2 → 4200, messages +2, and 4 more'
 */
export function summaryLine(diff: Diff): string {
  if (diff.items.length === 0)
    return diff.ignored.some(({ count }) => count > 0) ? 'only ignored changes' : 'no change';
  const phrases = phrasesOf(diff.items).toSorted((a, b) => a.rank - b.rank || a.depth - b.depth);
  const said: string[] = [];
  let length = 0;
  let left = diff.items.length;
  for (const { text, rows } of phrases) {
    if (said.length > 0 && length + text.length + 2 > LINE_LENGTH) break;
    said.push(text);
    length += text.length + 2;
    left -= rows;
  }
  if (left > 0) said.push(`and ${left} more`);
  return said.join(', ');
}

function phrasesOf(items: readonly Difference[]): Phrase[] {
  const phrases: Phrase[] = [];
  const arrays = new Map<string, { path: Path; added: number; removed: number; moved: number }>();
  for (const item of items) {
    const path = parsePath(item.path);
    const isElement = typeof path.at(-1) === 'number';
    if (!isElement || item.kind === 'changed' || item.kind === 'type-changed') {
      phrases.push(phraseOf(item, path));
      continue;
    }
    const parent = path.slice(0, -1);
    const name = formatPath(parent);
    const counts = arrays.get(name) ?? { path: parent, added: 0, removed: 0, moved: 0 };
    counts[item.kind]++;
    arrays.set(name, counts);
  }
  for (const { path, added, removed, moved } of arrays.values()) {
    const counts = [added && `+${added}`, removed && `−${removed}`, moved && `↕${moved}`].filter(Boolean).join(' ');
    phrases.push({ text: `${label(path)} ${counts}`, rows: added + removed + moved, rank: 1, depth: path.length });
  }
  return phrases;
}

function phraseOf(item: Difference, path: Path): Phrase {
  const name = label(path);
  const before = shortValue(item.before);
  const after = shortValue(item.after);
  const base = { rows: 1, depth: path.length };
  switch (item.kind) {
    case 'added':
      return { ...base, text: after === undefined ? `+${name}` : `+${name} ${after}`, rank: 1 };
    case 'removed':
      return { ...base, text: `−${name}`, rank: 1 };
    case 'moved':
      return { ...base, text: `${name} moved`, rank: 1 };
    default:
      return before === undefined || after === undefined
        ? { ...base, text: `${name} changed`, rank: 2 }
        : { ...base, text: `${name} ${before} → ${after}`, rank: rankOf(before, after) };
  }
}

/** A number that became ten times another tells most; a counter that went up by one tells least. */
function rankOf(before: string, after: string): number {
  const [from, to] = [Number(before), Number(after)];
  if (before.startsWith('"') || after.startsWith('"') || Number.isNaN(from) || Number.isNaN(to)) return 0;
  if (Number.isSafeInteger(from) && to === from + 1) return 3;
  const [small, large] = [Math.min(Math.abs(from), Math.abs(to)), Math.max(Math.abs(from), Math.abs(to))];
  return small > 0 && large >= small * 10 ? -1 : 0;
}

/** A value that fits into the line as it is. */
function shortValue(text: string | undefined): string | undefined {
  if (text === undefined || text.length > VALUE_LENGTH) return undefined;
  const isContainer = text.startsWith('{') || text.startsWith('[');
  return isContainer && !/^[{[]\s*[}\]]$/.test(text) ? undefined : text;
}

/** The path without `$.`; of a long one the last two steps, or the last, or its beginning. */
function label(path: Path): string {
  const [whole = '', pair = whole, last = pair] = [path, path.slice(-2), path.slice(-1)].map(bare);
  const short = [whole, pair].find((text) => text.length <= LABEL_LENGTH) ?? last;
  if (short.length <= LABEL_LENGTH) return short;
  // A secret that is cut has no shape any more by which a screen could mask it.
  return `${Array.from(maskSecrets(short)).slice(0, LABEL_LENGTH).join('')}…`;
}

function bare(path: Path): string {
  const text = formatPath(path);
  if (text === '$') return 'state';
  return text.startsWith('$.') ? text.slice(2) : text.slice(1);
}
