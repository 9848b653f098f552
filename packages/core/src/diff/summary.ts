import { formatPath, parsePath, type Path } from '../json/path.ts';
import { readableJson } from '../json/readable.ts';
import { maskSecrets } from '../secrets/mask.ts';
import { rankDiff } from './rank.ts';
import type { Diff, Difference } from './types.ts';

const LINE_LENGTH = 60;
const LABEL_LENGTH = 24;
const VALUE_LENGTH = 24;

/** One thing worth saying, and how many rows it covers. */
interface Phrase {
  readonly text: string;
  readonly rows: number;
  /** A change without its values tells little. */
  readonly isBare?: boolean;
}

/**
 * A diff in one short line, in the order of `rankDiff`: what tells most first, counts per array, folded rows only
 * counted. About 60 characters, then how many rows are left.
 * @example 'revenue.CompanyB 4.2 → 4200, messages +2, and 4 more'
 */
export function summaryLine(diff: Diff): string {
  if (diff.items.length === 0)
    return diff.ignored.some(({ count }) => count > 0) ? 'only ignored changes' : 'no change';
  const phrases = phrasesOf(rankDiff(diff).ranked);
  const said: string[] = [];
  let length = 0;
  let left = diff.items.length;
  for (const { text, rows } of [...phrases.filter((one) => !one.isBare), ...phrases.filter((one) => one.isBare)]) {
    if (said.length > 0 && length + text.length + 2 > LINE_LENGTH) break;
    said.push(text);
    length += text.length + 2;
    left -= rows;
  }
  if (left > 0) said.push(`and ${left} more`);
  return said.join(', ');
}

type Counted = 'added' | 'removed' | 'moved';

/** Elements that came, went or moved are counted per array, at the place of the first of them. */
function phrasesOf(items: readonly Difference[]): Phrase[] {
  const phrases: (Phrase | (() => Phrase))[] = [];
  const arrays = new Map<string, Record<Counted, number>>();
  for (const item of items) {
    const path = parsePath(item.path);
    if (typeof path.at(-1) !== 'number' || item.kind === 'changed' || item.kind === 'type-changed') {
      phrases.push(phraseOf(item, path));
      continue;
    }
    const parent = path.slice(0, -1);
    const name = formatPath(parent);
    const counts = arrays.get(name) ?? { added: 0, removed: 0, moved: 0 };
    if (!arrays.has(name)) phrases.push(() => countPhrase(parent, counts));
    arrays.set(name, counts);
    counts[item.kind]++;
  }
  return phrases.map((phrase) => (typeof phrase === 'function' ? phrase() : phrase));
}

function countPhrase(path: Path, { added, removed, moved }: Record<Counted, number>): Phrase {
  const counts = [added && `+${added}`, removed && `−${removed}`, moved && `↕${moved}`].filter(Boolean).join(' ');
  return { text: `${label(path)} ${counts}`, rows: added + removed + moved };
}

function phraseOf(item: Difference, path: Path): Phrase {
  const name = label(path);
  const before = shortValue(item.before);
  const after = shortValue(item.after);
  switch (item.kind) {
    case 'added':
      return { rows: 1, text: after === undefined ? `+${name}` : `+${name} ${after}` };
    case 'removed':
      return { rows: 1, text: `−${name}` };
    case 'moved':
      return { rows: 1, text: `${name} moved` };
    default:
      return before === undefined || after === undefined
        ? { rows: 1, text: `${name} changed`, isBare: true }
        : { rows: 1, text: `${name} ${before} → ${after}` };
  }
}

/** Escapes of letters are six characters each: a longer text cannot become a short one. */
const STORED_LENGTH = 6 * VALUE_LENGTH;

/** A value that fits into the line, in its letters. */
function shortValue(stored: string | undefined): string | undefined {
  if (stored === undefined || stored.length > STORED_LENGTH) return undefined;
  const text = readableJson(stored);
  if (text.length > VALUE_LENGTH) return undefined;
  const isContainer = text.startsWith('{') || text.startsWith('[');
  return isContainer && !/^[{[]\s*[}\]]$/.test(text) ? undefined : text;
}

/** The path without `$.`; of a long one the last two steps, or the last, or its beginning. */
function label(path: Path): string {
  const [whole = '', pair = whole, last = pair] = [path, path.slice(-2), path.slice(-1)].map(bare);
  const short = [whole, pair].find((text) => text.length <= LABEL_LENGTH) ?? last;
  if (short.length <= LABEL_LENGTH) return short;
  // A secret that is cut has no shape any longer by which a screen could mask it.
  return `${Array.from(maskSecrets(short)).slice(0, LABEL_LENGTH).join('')}…`;
}

function bare(path: Path): string {
  const text = formatPath(path);
  if (text === '$') return 'state';
  return text.startsWith('$.') ? text.slice(2) : text.slice(1);
}
