import { commonSubsequence } from './sequence.ts';
import type { WordChange } from './types.ts';

/** Words, runs of white space, single ideographs and kana, single other signs. */
const TOKENS =
  /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}_])+|[^]/gu;

/** The words, spaces and signs of a text; joined they are the text. */
export const wordsOf = (text: string): readonly string[] => text.match(TOKENS) ?? [];

/** Texts with more tokens than this are compared by their ends only. */
const TOKEN_LIMIT = 20_000;
const EDIT_LIMIT = 2_000;

/**
 * What changed in a long text, word by word. All `same` and `removed` pieces joined are `before`, all `same` and
 * `added` ones `after`.
 * @example wordDiff('a b', 'a c') // [{same 'a '}, {removed 'b'}, {added 'c'}]
 */
export function wordDiff(before: string, after: string): readonly WordChange[] {
  const a = wordsOf(before);
  const b = wordsOf(after);
  const head = sameHead(a, b);
  const tail = sameTail(a, b, head);
  const changes = new Changes();
  changes.add('same', a.slice(0, head));
  let i = head;
  let j = head;
  const changeUpTo = (nextI: number, nextJ: number): void => {
    changes.add('removed', a.slice(i, nextI));
    changes.add('added', b.slice(j, nextJ));
    i = nextI;
    j = nextJ;
  };
  for (const [x, y] of matchWords(a.slice(head, a.length - tail), b.slice(head, b.length - tail))) {
    changeUpTo(head + x, head + y);
    changes.add('same', a.slice(i, i + 1));
    i++;
    j++;
  }
  changeUpTo(a.length - tail, b.length - tail);
  changes.add('same', a.slice(i));
  return changes.list;
}

function sameHead(a: readonly string[], b: readonly string[]): number {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  return head;
}

function sameTail(a: readonly string[], b: readonly string[], head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let tail = 0;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return tail;
}

function matchWords(a: readonly string[], b: readonly string[]): readonly [number, number][] {
  if (a.length > TOKEN_LIMIT || b.length > TOKEN_LIMIT) return [];
  const numbers = new Map<string, number>();
  const numberOf = (word: string): number => {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    return number;
  };
  const pairs = commonSubsequence(a.map(numberOf), b.map(numberOf), EDIT_LIMIT) ?? [];
  // A space alone between two changed words only tears the change apart.
  return pairs.filter(([x, y], nth) => {
    const isJoined = touches(pairs[nth - 1], x - 1, y - 1) || touches(pairs[nth + 1], x + 1, y + 1);
    return isJoined || (a[x] ?? '').trim() !== '';
  });
}

function touches(pair: readonly [number, number] | undefined, x: number, y: number): boolean {
  return pair?.[0] === x && pair[1] === y;
}

/** Joins neighbours of one kind. */
class Changes {
  readonly list: { kind: WordChange['kind']; text: string }[] = [];

  add(kind: WordChange['kind'], words: readonly string[]): void {
    if (words.length === 0) return;
    const last = this.list.at(-1);
    if (last?.kind === kind) last.text += words.join('');
    else this.list.push({ kind, text: words.join('') });
  }
}
