import { fromJsonText } from '../json/value.ts';

/** A message with what differs from one occurrence to the next taken out. */
export interface NormalisedMessage {
  /** Equal for messages of one kind: the pattern without regard to case. */
  readonly key: string;
  /** For people: `fetch_revenue: API timeout after <n> s`. */
  readonly pattern: string;
}

/** Longer texts are judged by their beginning. */
const LOOKED_AT = 2_000;

const TRACE_LINE = /^\s*(?:at .+[:)]\d*\)?\s*$|File ".*", line \d+|Traceback \(most recent call last\))/;

/** In this order: what a later rule would break up is before it. Each runs in linear time. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]]+/gi, '<url>'],
  [/\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, '<mail>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [/\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<id>'],
  [/(?<![\w'"`])(['"`])(?:(?!\1)[^\n\\]|\\.){0,500}\1(?![\w'"`])/g, '<text>'],
  [/(?<![\w.<])(?:[A-Za-z]:)?(?:[\\/][\w.@+-]+){2,}[\\/]?|(?<!\w)[~.]{1,2}(?:\/[\w.@+-]+)+/g, '<path>'],
  [/\b0x[0-9a-f]+\b/gi, '<id>'],
  // A name whose tail is digits and hex letters, such as ckpt_2f9a01: at least four, one of them a digit.
  [/\b[A-Za-z]+[_-](?=[0-9a-f]*\d)[0-9a-f]{4,64}\b/g, '<id>'],
  [/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}\b/gi, '<id>'],
];

/** The class of an exception: not every system keeps it, so it tells nothing where the words behind it do. */
const CLASS = /^(?:[\w$]+\.){0,8}[A-Z]\w*(?:Error|Exception): (?=(?:.*?(?<![<\w])[a-z]{2,}(?![>\w])){2})/i;

/** An exception as Python prints it where nobody formats it: `KeyError('revenue')`. */
const PRINTED = /^((?:\w+\.){0,8}[A-Z]\w*(?:Error|Exception))\((['"])((?:(?!\2)[^\\]|\\[\s\S])*)\2,?\)\s*$/;

/** A number that is named as a code says what kind of error it is: it stays. */
const NUMBER =
  /(\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?|exit(?: code)?|error code|errno)[ :=]{1,3})?(?<![\w.])[+-]?\d[\d_,]*(?:\.\d+)?(?:e[+-]?\d+)?(?=[a-zµ%]{0,3}\b|\W|$)/gi;

/**
 * The kind of a message: numbers, ids, hashes, times, quoted values, addresses and paths become placeholders; traces,
 * and the class in front of words, are left out. The same text always gives the same key.
 * @example normaliseMessage('API timeout after 30 s').pattern // 'API timeout after <n> s'
 */
export function normaliseMessage(text: string): NormalisedMessage {
  const lines = spoken((toldInJson(text) ?? text).slice(0, LOOKED_AT)).split('\n');
  const said = lines.filter((line) => line.trim() !== '' && !TRACE_LINE.test(line));
  let pattern = (said.length > 0 ? said : lines).join(' ');
  for (const [rule, placeholder] of RULES) pattern = pattern.replace(rule, placeholder);
  pattern = pattern.replace(NUMBER, (number: string, code?: string) => (code === undefined ? '<n>' : number));
  pattern = pattern.replaceAll(/\s+/g, ' ').trim().replace(CLASS, '');
  return { key: pattern.toLowerCase(), pattern };
}

/** Longer JSON is taken as it is. */
const MOST_JSON = 64 * 1024;
const WORDS = ['message', 'detail', 'error'];
const NAMES = ['type', 'code'];

/** What an error that is kept as JSON says itself: an API's answer is all quotes, and would be one kind whatever it is. */
function toldInJson(text: string): string | undefined {
  if (!/^\s*\{/.test(text) || text.length > MOST_JSON) return undefined;
  try {
    return toldBy(fromJsonText(text));
  } catch {
    return undefined;
  }
}

function toldBy(value: unknown): string | undefined {
  const fields = fieldsOf(value);
  const inner = fieldsOf(fields['error']);
  const named = [inner, fields].flatMap((one) => NAMES.map((name) => one[name]));
  const told = [inner['message'], ...WORDS.map((name) => fields[name]), ...named];
  return told.find((one): one is string => typeof one === 'string' && one.trim() !== '');
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** `ValueError: no rows` for `ValueError('no rows')`; a single word stays quoted, as Python's own message has it. */
function spoken(text: string): string {
  const [, name, , message] = PRINTED.exec(text) ?? [];
  if (name === undefined || message === undefined || !/\s/.test(message)) return text;
  return `${name}: ${message.replaceAll(/\\n/g, '\n').replaceAll(/\\(.)/g, '$1')}`;
}
