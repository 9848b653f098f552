import { formatPath } from '../json/path.ts';
import { createMasker, maskSecrets } from '../secrets/masker.ts';
import type { Event } from './events.ts';
import type { Oddity, Usual } from './siblings.ts';
import type { Leaf } from './leaf.ts';

const KINDS = {
  string: 'Text',
  number: 'A number',
  boolean: 'A true/false value',
  null: 'Null',
  empty: 'An empty list',
  list: 'A list',
  fields: 'An object',
} as const;

/** @example kindWord(leaf) // 'A number' */
export const kindWord = ({ kind }: Leaf): string => KINDS[kind];

const SHOWN = 40;

/** A text as a sentence quotes it: masked before it is cut, because half a secret has no shape to mask it by. */
export function quoted(text: string, most: number = SHOWN): string {
  const masked = maskSecrets(text);
  return masked.length > most ? `${masked.slice(0, most)}…` : masked;
}

let format: Intl.NumberFormat | undefined;
/** Made when first needed: making it takes longer than all else that is done when this module is loaded. */
const inWords = (value: number): string =>
  (format ??= new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 })).format(value);

/** @example timesWords(4.2, 4200) // '1,000 times larger than before.' */
export function timesWords(before: number, after: number): string {
  const ratio = Math.abs(after / before);
  return ratio >= 1
    ? `${inWords(ratio)} times larger than before.`
    : `${inWords(1 / ratio)} times smaller than before.`;
}

/** Why it is unlike its siblings, as a sentence. */
export function oddityWords({ why, of, usual: all }: Oddity, { after, path }: Event): string {
  const usual = all === undefined || typeof all === 'string' ? all : rangeWords(all);
  const others = `its ${of} siblings`;
  const value = after === undefined ? '' : quoted(createMasker().at(formatPath(path), after.text));
  switch (why) {
    case 'type':
      return `${after ? kindWord(after) : 'A value'}, where ${others} have ${usual === 'string' ? 'text' : `a ${usual}`}.`;
    case 'holder':
      return `It is inside a list or an object, where ${others} have ${usual === 'string' ? 'plain text' : `a plain ${usual}`}.`;
    case 'missing':
      return `It has no value, but ${others} do.`;
    case 'sign':
      return `${value} has the opposite sign to ${others}.`;
    case 'zero':
      return `It is zero, but none of ${others} are.`;
    case 'size':
      return `${value} is far outside the range of ${others}${usual === undefined ? '' : ` (${usual})`}.`;
    case 'decimals':
      return `It is rounded differently from ${others}.`;
    case 'empty':
      return `It is empty, but ${others} are not.`;
    case 'format':
      return `It is formatted differently from ${others}, such as ${JSON.stringify(quoted(usual ?? ''))}.`;
    case 'twice':
      return `${value} appears twice, while all the others are unique.`;
    case 'cut':
      return `It stops mid-sentence, while ${others} end with a full stop.`;
    case 'length':
      return `It is much shorter than ${others}.`;
    case 'garbled':
      return 'It contains garbled characters.';
    case 'category':
      return `${value} is the only one of its kind${usual === undefined ? '' : `; ${others} have ${quoted(usual)}`}.`;
    case 'twin':
      return 'The same entry is in the list already.';
    case 'key':
      return `None of ${others} have this field; they all have ${JSON.stringify(quoted(usual ?? ''))}, which is missing here.`;
  }
}

const rangeWords = ([least, most]: Exclude<Usual, string>): string => `${inWords(least)} to ${inWords(most)}`;
