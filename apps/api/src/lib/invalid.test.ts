import { z } from '@hono/zod-openapi';
import { expect, it } from 'vitest';
import { pageQuery, planRequestSchema, sinceSchema, storeParams } from '../wire/index.ts';
import { invalidInput } from './invalid.ts';

function told(schema: z.ZodType, target: string, value: unknown): string {
  const { error } = schema.safeParse(value);
  return error === undefined ? 'valid' : invalidInput(error, target, value).message;
}

const strict = z.strictObject({
  n: z.int().max(9).optional(),
  name: z.string().min(1).optional(),
  list: z.array(z.string()).min(2).optional(),
  as: z.enum(['text', 'bytes']).optional(),
  either: z.union([z.string(), z.object({ a: z.number() })]).optional(),
});

const plan = (request: unknown) => ({ store: 'a', request });

type Row = [z.ZodType, string, unknown, string];

it.each<Row>([
  [planRequestSchema, 'json', [], 'The body must be an object.'],
  [planRequestSchema, 'json', { store: 5 }, 'The field "store" must be text.'],
  [planRequestSchema, 'json', { store: 'a' }, 'The field "request" is missing.'],
  [planRequestSchema, 'json', plan(7), 'The field "request" must be an object.'],
  [planRequestSchema, 'json', plan({}), 'The field "request.kind" is missing.'],
  [
    planRequestSchema,
    'json',
    plan({ kind: 'vanish' }),
    'The field "request.kind" must be one of restore, fork, edit, prune, delete, undo.',
  ],
  [planRequestSchema, 'json', plan({ kind: 'restore' }), 'The field "request.ref" is missing.'],
  [
    planRequestSchema,
    'json',
    plan({ kind: 'delete', refs: [{ task: 'a' }] }),
    'The field "request.refs.0.id" is missing.',
  ],
  [
    storeParams,
    'param',
    { store: '../x' },
    'The part of the path "store" is not valid: a store id can only contain a-z, 0-9 and "-".',
  ],
  [
    pageQuery,
    'query',
    { limit: '0' },
    'The query parameter "limit" is not valid: a whole number from 1 to 1000 is needed.',
  ],
  [pageQuery, 'query', { limit: ['2', '3'] }, 'The query parameter "limit" is given more than once.'],
  [
    z.object({ since: sinceSchema }),
    'query',
    { since: 'x' },
    'The query parameter "since" is not valid: write a time as ISO 8601.',
  ],
  ...['0', '-1', '%00', '7', 'March 7', '2026-13-01', '2026-01-01 (x)'].map((since): Row => [
    z.object({ since: sinceSchema }),
    'query',
    { since },
    'The query parameter "since" is not valid: write a time as ISO 8601.',
  ]),
  ...['2026-01', '2026-01-31', '2026-01-31T12:00Z', '2026-01-31T12:00:00.123+02:00'].map((since): Row => [
    z.object({ since: sinceSchema }),
    'query',
    { since },
    'valid',
  ]),
  [z.object({ a: z.string().regex(/^a$/) }), 'query', { a: 'x' }, 'The query parameter "a" is not valid.'],
  [strict, 'argument', { n: 1.5 }, 'The argument "n" must be a whole number.'],
  [strict, 'argument', { n: 10 }, 'The argument "n" must be at most 9.'],
  [strict, 'argument', { name: '' }, 'The argument "name" must be at least 1 character long.'],
  [strict, 'argument', { list: [] }, 'The argument "list" must be at least 2 items long.'],
  [strict, 'argument', { as: 'blob' }, 'The argument "as" must be one of text, bytes.'],
  [strict, 'argument', { either: 5 }, 'The argument "either" must be text or an object.'],
  [strict, 'argument', { projectId: 'p' }, 'The call has no member "projectId".'],
])('names the field and what is wrong with it %#', (schema, target, value, words) => {
  expect(told(schema, target, value)).toBe(words);
});
