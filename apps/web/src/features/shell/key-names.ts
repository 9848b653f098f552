/** Keys as the sheet shows them, and as the page names them. */
import { KEY_GROUPS, type KeyLine } from './key-sheet.ts';

const SIGNS: readonly (readonly [sign: string, name: string])[] = [
  ['↵', 'Enter'],
  ['Del', 'Delete'],
  ['Esc', 'Escape'],
  ['←', 'ArrowLeft'],
  ['→', 'ArrowRight'],
  ['↑', 'ArrowUp'],
  ['↓', 'ArrowDown'],
];

/** First keys of sequences. */
const STARTS = new Set(['g', 'y']);

const nameOf = (sign: string): string => SIGNS.find(([shown]) => shown === sign)?.[1] ?? sign;
const signOf = (name: string): string => SIGNS.find(([, known]) => known === name)?.[0] ?? name;

/** @example keysOf({ keys: ['g', 't'], … }) // ['g t']; ['j', 'k'] // ['j', 'k']; ['1', '…', '6'] // ['1', …, '6'] */
export function keysOf({ keys }: Pick<KeyLine, 'keys'>): readonly string[] {
  const [first = '', second, third] = keys;
  if (first === 'Ctrl' && second !== undefined) return [`Ctrl+${nameOf(second).toLowerCase()}`];
  if (STARTS.has(first) && keys.length === 2) return [keys.map(nameOf).join(' ')];
  if (second === '…') {
    const [from, to] = [Number(first), Number(third)];
    return Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
  }
  return keys.map(nameOf);
}

/** @example signsOf('g t') // ['g', 't']; signsOf('Ctrl+k') // ['Ctrl', 'K'] */
export const signsOf = (key: string): readonly string[] =>
  key.startsWith('Ctrl+') ? ['Ctrl', signOf(capital(key.slice(5)))] : key.split(' ').map(signOf);

const capital = (text: string): string => (text.length === 1 ? text.toUpperCase() : text);

/** What a line shows once keys were put elsewhere. */
export function shownKeys(line: KeyLine, remap: Readonly<Record<string, string>>): readonly string[] {
  const keys = keysOf(line);
  return keys.some((key) => Object.hasOwn(remap, key)) ? keys.flatMap((key) => signsOf(remap[key] ?? key)) : line.keys;
}

/** Every key that the page handles by name; those that lists and dialogs have by themselves are left out. */
export const sheetKeys = (): ReadonlySet<string> =>
  new Set(KEY_GROUPS.flatMap((group) => group.lines.filter((line) => line.fixed !== true).flatMap(keysOf)));

/**
 * Why `wanted` cannot stand for `own`, in words. Two acts on one key, or a key
 * that begins the sequence of another, would leave one of them without any.
 */
export function conflictOf(own: string, wanted: string, remap: Readonly<Record<string, string>>): string | undefined {
  for (const group of KEY_GROUPS) {
    for (const line of group.lines) {
      for (const key of keysOf(line)) {
        if (key === own) continue;
        const taken = remap[key] ?? key;
        const act = `“${line.does}”`;
        if (taken === wanted) return `${signsOf(wanted).join(' ')} is the key of ${act}.`;
        if (taken.startsWith(`${wanted} `)) return `${wanted} begins ${taken}, the keys of ${act}.`;
        if (wanted.startsWith(`${taken} `)) return `${taken} is the key of ${act}, so nothing can follow it.`;
      }
    }
  }
  return undefined;
}
