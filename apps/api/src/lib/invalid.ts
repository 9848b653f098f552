/** What is wrong with an input, in words that name the field; the validator's own words stay in here. */
import { InspectorError } from '@checkpoint-inspector/core';
import type { z } from '@hono/zod-openapi';

type Issue = z.core.$ZodIssue;
type Target = 'json' | 'query' | 'param' | 'header' | 'argument';

const KINDS: Readonly<Record<Target, string>> = {
  json: 'field',
  query: 'query parameter',
  param: 'part of the path',
  header: 'header',
  argument: 'argument',
};

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  record: 'an object',
  null: 'null',
};

/** @param value what was checked, to tell what is missing from what is wrong */
export function invalidInput(error: z.core.$ZodError, target: string, value: unknown): InspectorError {
  const kind = isTarget(target) ? target : 'json';
  const [issue] = error.issues;
  if (issue === undefined) return new InspectorError('invalid_input', "The input isn't valid.");
  const path = issue.path.map(String).join('.');
  const subject = path === '' ? wholeOf(kind) : `The ${KINDS[kind]} "${path}"`;
  const where = path === '' ? target : `${target}.${path}`;
  return new InspectorError('invalid_input', `${subject} ${wordsOf(issue, valueAt(value, issue.path), kind)}.`, {
    data: { where },
  });
}

function wordsOf(issue: Issue, value: unknown, kind: Target): string {
  if (issue.code === 'unrecognized_keys') return `has no member "${issue.keys.join('", "')}"`;
  if (value === undefined) return 'is missing';
  if (kind === 'query' && Array.isArray(value)) return 'is given more than once';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${expected(issue.expected)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must be ${sizeOf(issue.origin, 'at least', Number(issue.minimum))}`;
    case 'too_big':
      return `must be ${sizeOf(issue.origin, 'at most', Number(issue.maximum))}`;
    case 'invalid_union':
      return unionWords(issue);
    case 'invalid_format':
      // The validator's own words would show a regular expression.
      return issue.message.startsWith('Invalid ') ? 'is not valid' : `is not valid: ${issue.message}`;
    case 'custom':
      return `is not valid: ${issue.message}`;
    default:
      return 'is not valid';
  }
}

function unionWords(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const { errors } = issue;
  const options: unknown = Reflect.get(issue, 'options');
  if (Array.isArray(options) && options.length > 0) return `must be one of ${options.map(String).join(', ')}`;
  const kinds = errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [expected(first.expected)] : []));
  return kinds.length === 0 ? 'is not valid' : `must be ${[...new Set(kinds)].join(' or ')}`;
}

const expected = (type: string): string => EXPECTED[type] ?? type;

function sizeOf(origin: string, bound: string, size: number): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : undefined;
  return unit === undefined ? `${bound} ${size}` : `${bound} ${size} ${unit}${size === 1 ? '' : 's'} long`;
}

function wholeOf(target: Target): string {
  return target === 'json' ? 'The body' : target === 'argument' ? 'The call' : `The ${KINDS[target]}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

const isTarget = (text: string): text is Target => Object.hasOwn(KINDS, text);
