/**
 * How long it takes to read and compare large states, from text to rows. Every case first checks its answer,
 * so that a fast wrong one cannot pass.
 */
import { bench, describe } from 'vitest';
import { diffJson, equalJson, parseJson, summaryLine, wordDiff } from '../src/index.ts';

interface Message {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly usage: { readonly tokens: number; readonly cost: number };
  readonly tags: readonly string[];
}

function messages(count: number, words: number): Message[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `msg-${i}`,
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: Array.from({ length: words }, (__, w) => `word${(i * 7 + w) % 997}`).join(' '),
    usage: { tokens: i, cost: i / 1_000 },
    tags: ['chat', 'v1'],
  }));
}

function stateOf(list: readonly unknown[]): string {
  return JSON.stringify({ step: 7, status: 'running', messages: list });
}

/** Seven small changes, one message appended. */
function withFewChanges(list: readonly Message[]): string {
  const changed = [...list, ...messages(1, 3).map((message) => ({ ...message, id: 'new' }))];
  for (const at of [0.1, 0.3, 0.5, 0.7, 0.9]) {
    const index = Math.floor(list.length * at);
    const message = changed[index];
    if (message) changed[index] = { ...message, usage: { tokens: -1, cost: message.usage.cost } };
  }
  return stateOf(changed).replace('"step":7', '"step":8');
}

function check(name: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${name}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  }
}

const quick = { time: 500, iterations: 5, warmupIterations: 2, warmupTime: 0 };

describe('read', () => {
  const prose = stateOf(messages(12_000, 40));
  const numbers = JSON.stringify(Array.from({ length: 800_000 }, (_, i) => i));
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  bench(`parseJson, messages, ${megabytes(prose)}`, () => void parseJson(prose), quick);
  bench(`parseJson, bare numbers, ${megabytes(numbers)}`, () => void parseJson(numbers), quick);
  bench('parseJson, 200,000 levels', () => void parseJson(deep), quick);
  bench(`JSON.parse, messages, ${megabytes(prose)} (for scale)`, () => void JSON.parse(prose), quick);
});

describe('few changes', () => {
  for (const count of [2_500, 25_000]) {
    const list = messages(count, 40);
    const [before, after] = [stateOf(list), withFewChanges(list)];
    check('few', diffJson(before, after).summary, { added: 1, removed: 0, changed: 6, moved: 0 });
    bench(`diffJson, ${megabytes(before)}`, () => void diffJson(before, after), quick);
  }
});

describe('10,000 elements', () => {
  const list = messages(10_000, 10);
  const before = stateOf(list);
  const front = stateOf([...messages(1, 3).map((message) => ({ ...message, id: 'new' })), ...list]);
  const moved = stateOf([
    ...list.slice(0, 100),
    ...list.slice(101, 9_000),
    ...list.slice(100, 101),
    ...list.slice(9_000),
  ]);
  const leaves = stateOf(
    list.map((message) => ({ ...message, usage: { tokens: -1 - message.usage.tokens, cost: message.usage.cost } })),
  );
  const plain = JSON.stringify(list.map((message) => message.content));
  const plainFront = JSON.stringify(['new', ...list.map((message) => message.content)]);
  const shuffled = stateOf(list.toReversed());
  const spaced = JSON.stringify(JSON.parse(before), undefined, 2);
  check('front', diffJson(before, front).summary, { added: 1, removed: 0, changed: 0, moved: 0 });
  check('moved', diffJson(before, moved).summary, { added: 0, removed: 0, changed: 0, moved: 1 });
  check('leaves', diffJson(before, leaves).summary, { added: 0, removed: 0, changed: 10_000, moved: 0 });
  check('plain front', diffJson(plain, plainFront).summary, { added: 1, removed: 0, changed: 0, moved: 0 });
  check('reversed', diffJson(before, shuffled).summary, { added: 0, removed: 0, changed: 0, moved: 9_999 });
  check('spaced', [diffJson(before, spaced).items.length, equalJson(before, spaced)], [0, true]);
  bench('one inserted in front, by id', () => void diffJson(before, front), quick);
  bench('one inserted in front, plain strings', () => void diffJson(plain, plainFront), quick);
  bench('one moved', () => void diffJson(before, moved), quick);
  bench('all reversed', () => void diffJson(before, shuffled), quick);
  bench('one number changed in each', () => void diffJson(before, leaves), quick);
  bench('only re-spaced', () => void diffJson(before, spaced), quick);
  const many = diffJson(before, leaves);
  bench('summaryLine of 10,000 rows', () => void summaryLine(many), quick);
});

describe('words', () => {
  const text = messages(1, 9_000)[0]?.content ?? '';
  const edited = text.replaceAll('word5 ', 'changed ');
  check(
    'words',
    wordDiff(text, edited).some(({ kind }) => kind === 'added'),
    true,
  );
  bench('wordDiff, 9,000 words, 9 changed', () => void wordDiff(text, edited), quick);
});

function megabytes(text: string): string {
  return `${(text.length / 1e6).toFixed(1)} MB`;
}
