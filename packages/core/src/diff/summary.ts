import { messageIn } from '../chat/messages.ts';
import { formatPath, parsePath, type Path } from '../json/path.ts';
import { sourceOf } from '../json/node.ts';
import { parseJson } from '../json/read.ts';
import { readableJson, readableText } from '../json/readable.ts';
import { createMasker, maskSecrets } from '../secrets/masker.ts';
import { isTime } from './noise.ts';
import { rankDiff } from './rank.ts';
import type { ChangeRoles } from './roles.ts';
import type { Diff, Difference } from './types.ts';

const LINE_LENGTH = 60;
/** Where the task is known, what comes next is told too. */
const KNOWN_LENGTH = 80;
/** Of what was added its values are told, as far as they fit in here. */
const DETAIL_LENGTH = 100;
const LABEL_LENGTH = 24;
const VALUE_LENGTH = 24;
const SAID_LENGTH = 40;
/** A longer message is only counted. */
const MESSAGE_LENGTH = 20_000;

/** One thing worth saying, and how many rows it covers. */
interface Phrase {
  readonly text: string;
  /** Where the text is too long for the rest of the line. */
  readonly short?: string;
  readonly rows: number;
  /** A change without its values tells little. */
  readonly isBare?: boolean;
  /** What was added, where it is a list or an object. */
  readonly container?: { readonly path: Path; readonly stored: string };
}

/**
 * A diff in one short line, in the order of `rankDiff`: what tells most first, counts per array, folded rows only
 * counted. Of messages that came, the words of the last. About 60 characters, then how many rows are left.
 * @param beside what the reader sees beside the line: its words aren't said again
 * @param roles what the task's changes are about
 * @example 'revenue.CompanyB 4.2 → 4200, messages +2 “Done.”, and 4 more'
 */
export function summaryLine(diff: Pick<Diff, 'items' | 'ignored'>, beside = '', roles?: ChangeRoles): string {
  if (diff.items.length === 0)
    return diff.ignored.some(({ count }) => count > 0) ? 'only ignored changes' : 'no change';
  const phrases = phrasesOf(rankDiff(diff, roles).ranked, beside, roles !== undefined);
  const most = roles ? KNOWN_LENGTH : LINE_LENGTH;
  const said: { text: string; readonly phrase: Phrase }[] = [];
  let length = 0;
  let left = diff.items.length;
  for (const phrase of [...phrases.filter((one) => !one.isBare), ...phrases.filter((one) => one.isBare)]) {
    const { rows, short = phrase.text } = phrase;
    const fits = (one: string): boolean => said.length === 0 || length + one.length + 2 <= most;
    const text = fits(phrase.text) ? phrase.text : short;
    if (!fits(text)) break;
    said.push({ text, phrase });
    length += text.length + 2;
    left -= rows;
  }
  const added = roles && said.find(({ phrase }) => phrase.container);
  if (added?.phrase.container) added.text += valuesIn(added.phrase.container);
  return [...said.map(({ text }) => text), ...(left > 0 ? [`and ${left} more`] : [])].join(', ');
}

interface Counts {
  added: number;
  removed: number;
  moved: number;
  /** The last element that came, as JSON text. */
  newest?: string | undefined;
}

/** Elements that came, went or moved are counted per array, at the place of the first of them. */
function phrasesOf(items: readonly Difference[], beside: string, isKnown: boolean): Phrase[] {
  const phrases: (Phrase | (() => Phrase))[] = [];
  const arrays = new Map<string, Counts>();
  /** Where the value before was added: that of its neighbour isn't said again. */
  let beginning: string | undefined;
  for (const item of items) {
    const path = parsePath(item.path);
    if (typeof path.at(-1) !== 'number' || item.kind === 'changed' || item.kind === 'type-changed') {
      const isSibling = item.kind === 'added' && formatPath(path.slice(0, -1)) === beginning;
      phrases.push(phraseOf(item, isSibling ? path.slice(-1) : path));
      beginning = item.kind === 'added' && path.length > 1 ? formatPath(path.slice(0, -1)) : undefined;
      continue;
    }
    const parent = path.slice(0, -1);
    const name = formatPath(parent);
    const counts: Counts = arrays.get(name) ?? { added: 0, removed: 0, moved: 0 };
    if (!arrays.has(name)) phrases.push(() => countPhrase(parent, counts, beside, isKnown));
    arrays.set(name, counts);
    counts[item.kind]++;
    if (item.kind === 'added') counts.newest = item.after;
  }
  return phrases.map((phrase) => (typeof phrase === 'function' ? phrase() : phrase));
}

function countPhrase(path: Path, { added, removed, moved, newest }: Counts, beside: string, isKnown: boolean): Phrase {
  const counts = [added && `+${added}`, removed && `−${removed}`, moved && `↕${moved}`].filter(Boolean).join(' ');
  const short = `${label(path)} ${counts}`;
  const said = saidIn(newest, beside, isKnown);
  const container = containerOf([...path, 0], isMessage(newest) ? undefined : newest);
  return {
    text: said === undefined ? short : `${short} “${said}”`,
    short,
    rows: added + removed + moved,
    ...container,
  };
}

const isMessage = (stored = ''): boolean =>
  stored.startsWith('{') && stored.length <= MESSAGE_LENGTH && messageIn(stored, parseJson(stored)) !== undefined;

const containerOf = (path: Path, stored = ''): Pick<Phrase, 'container'> =>
  /^[{[]/.test(stored) && stored.length <= MESSAGE_LENGTH ? { container: { path, stored } } : {};

/** @example valuesIn({ path: ['rows', 3], stored: '{"id":"a","price":{"net":4.2}}' }) // ' {id "a", price.net 4.2}' */
function valuesIn({ path, stored }: NonNullable<Phrase['container']>): string {
  const said: string[] = [];
  let length = 0;
  const todo = [{ node: parseJson(stored), at: path }];
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    const { node, at } = one;
    if (node.kind === 'object' && node.members.length > 0) {
      todo.push(...node.members.toReversed().map(({ key, value }) => ({ node: value, at: [...at, key] })));
    } else if (node.kind === 'array' && node.items.length > 0) {
      todo.push(...node.items.map((item, nth) => ({ node: item, at: [...at, nth] })).toReversed());
    } else {
      const source = sourceOf(stored, node);
      const value = shortValue(formatPath(at), source);
      // A long text without a space is an id, an address or a secret.
      if (value === undefined ? !source.includes(' ') : isTime(source)) continue;
      const text = [label(at.slice(path.length)), value].filter(Boolean).join(' ');
      length += text.length + 2;
      if (length > DETAIL_LENGTH) return said.length === 0 ? '' : ` {${said.join(', ')}, …}`;
      said.push(text);
    }
  }
  return said.length === 0 ? '' : ` {${said.join(', ')}}`;
}

/** The beginning of a message's words: what was said tells more of a step than how much. Calls and results are named by their step. */
function saidIn(stored: string | undefined, beside: string, isKnown: boolean): string | undefined {
  if (stored === undefined || !stored.startsWith('{') || stored.length > MESSAGE_LENGTH) return undefined;
  const message = messageIn(stored, parseJson(stored));
  // Where the step is called by its call, what came back is seen from that.
  const isAnswer = isKnown && message?.role === 'tool' && !beside.includes(' ');
  if (message?.role !== 'ai' && message?.role !== 'human' && !isAnswer) return undefined;
  const results = isKnown && !beside.includes(' ') ? (message.results ?? []).map(({ text }) => text) : [];
  const words = [message.text, ...results].join(' ').replaceAll(/\s+/g, ' ').trim();
  if (words === '' || beside.replaceAll(/\s+/g, ' ').includes(words.slice(0, VALUE_LENGTH))) return undefined;
  return cut(readableText(words), SAID_LENGTH);
}

function phraseOf(item: Difference, path: Path): Phrase {
  const name = label(path);
  const isNewType = item.kind === 'type-changed';
  const before = shortValue(item.path, item.before, isNewType);
  const after = shortValue(item.path, item.after, isNewType);
  switch (item.kind) {
    case 'added':
      return after === undefined
        ? { rows: 1, text: `+${name}`, ...containerOf(path, item.after) }
        : { rows: 1, text: `+${name} ${after}` };
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

/** A value that fits into the line, in its letters; of a secret the line says no more than that it changed. */
function shortValue(path: string, stored: string | undefined, whole = false): string | undefined {
  if (stored === undefined || stored.length > STORED_LENGTH) return undefined;
  if (createMasker().at(path, stored) !== stored) return undefined;
  const text = readableJson(stored);
  if (text.length > VALUE_LENGTH) return undefined;
  const isContainer = !whole && (text.startsWith('{') || text.startsWith('['));
  return isContainer && !/^[{[]\s*[}\]]$/.test(text) ? undefined : text;
}

/** The path without `$.`; of a long one the last two steps, or the last, or its beginning. */
function label(path: Path): string {
  const [whole = '', three = whole, pair = three, last = pair] = [
    path,
    path.slice(-3),
    path.slice(-2),
    path.slice(-1),
  ].map(bare);
  // An index says nothing without the name of its list.
  const short =
    [whole, ...(typeof path.at(-2) === 'number' ? [three] : []), pair].find((text) => text.length <= LABEL_LENGTH) ??
    last;
  if (short.length <= LABEL_LENGTH) return short;
  return cut(short, LABEL_LENGTH);
}

/** Masked first where it is cut: half a secret has no shape any longer by which a screen could mask it. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const letters = Array.from(maskSecrets(text));
  return letters.length <= length ? letters.join('') : `${letters.slice(0, length).join('')}…`;
}

function bare(path: Path): string {
  const text = formatPath(path);
  if (text === '$') return 'state';
  return text.startsWith('$.') ? text.slice(2) : text.slice(1);
}
