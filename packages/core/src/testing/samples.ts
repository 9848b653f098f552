/** JSON texts that do not survive being parsed and written again. */
export const TEXTS = [
  '{"a": 1.0, "b":1e400,\n\t"c": -0, "big": 12345678901234567890, "a": "again"}',
  '{"python": [NaN, Infinity, -Infinity]}',
  '{"__proto__": {"polluted": true}, "constructor": null}',
  '"\\ud800 half a pair, escaped; \\u0000; \\/"',
  '{"ключ": "値 🧩 é e\u0301 \u2028"}',
  ' [ ] ',
  'null',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
];

const PATH_LIKE = ['a', 'ab', 'A', '.', '..', '~', '../a', 'a/b', 'a:b', 'a.b', 'a%2Fb', '%', '_', '*', '?', '#'];
const TEXT_LIKE = [' ', 'a b', "' OR 1=1 --", '"', '\\', 'a\nb', 'é', 'e\u0301', '値', '🧩', 'x'.repeat(500)];

/** Prefixes of each other, path parts, delimiters, wildcards, quotes, and names of object members. */
export const STRANGE_IDS: readonly string[] = [...PATH_LIKE, ...TEXT_LIKE, '__proto__', 'constructor', 'toString'];

/** Fields that checkpoint "a" of task "t" cannot be saved with. */
export const BAD_INPUT: readonly object[] = [
  { text: '' },
  { text: '{' },
  { text: '{} {}' },
  { text: "{'a': 1}" },
  { text: '"\ud800"' },
  { id: '' },
  { task: '' },
  { id: '\ud800' },
  { task: '\udc00' },
  { createdAt: 'yesterday' },
  { createdAt: '2026-01-01T00:00:00+02:00' },
  { createdAt: '2026-02-30T00:00:00Z' },
  { stepIndex: Number.NaN },
  { costUsd: Infinity },
  { parent: { task: 't', id: 'a' } },
  { parent: 'a' },
  { parent: null },
  { parent: {} },
  { parent: { task: 't', id: 5 } },
  { parent: { task: 't', id: 'b', namespace: 5 } },
  { status: 1 },
  { trigger: null },
  { description: 42 },
  { description: null },
  { agentId: { name: 'a' } },
];

/** Fields that nobody knows, or with such a value, and what was probably meant. */
export const MISSPELT_FIELDS: readonly (readonly [nearest: string, fields: object])[] = [
  ['stepIndex', { stepindex: 3 }],
  ['failed', { status: 'faild' }],
  ['manual', { trigger: 'manuel' }],
];

/** Options of a save that nobody knows, or with such a value, and what was probably meant. */
export const MISSPELT_OPTIONS: readonly (readonly [nearest: string, options: object])[] = [
  ['ifExists', { ifExist: 'refuse' }],
  ['refuse', { ifExists: 'refused' }],
];
