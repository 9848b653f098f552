import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { bodyOf, type FreshNode, KIND, share, type SharedState, sharedOf, textOf, valuesOf } from './index.ts';
import { toJsonText } from '../json/index.ts';

import { Container, type SharedValue } from './types.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Saves one after the other, and how much each of them wrote. */
function saver() {
  let before: SharedState | undefined;
  let rows = 0;
  return (value: unknown, options: { immutable?: boolean } = {}): { nodes: number; bytes: number } => {
    const { state, fresh } = share(value, { hash, before, ...options });
    before = state;
    let bytes = 0;
    for (const one of fresh) {
      one.node.id = ++rows;
      bytes += bodyOf(one).length;
    }
    return { nodes: fresh.length, bytes };
  };
}

/** As the rows of a store. */
function stored(fresh: readonly FreshNode[]) {
  const rows = fresh.map((one, at) => {
    one.node.id = at + 1;
    return [at + 1, { kind: one.kind, body: bodyOf(one), hash: one.node.hash }] as const;
  });
  return new Map(rows);
}

const containersIn = (value: SharedValue): Container[] =>
  value instanceof Container ? value.values.filter((one) => one instanceof Container) : [];

const message = (n: number) => ({ id: `m${n}`, role: 'user', content: `${n} `.repeat(150) });

describe('what a save writes', () => {
  it('is nothing for a state that is there already', () => {
    const save = saver();
    expect(save({ a: 1 }).nodes).toBe(1);
    expect(save({ a: 1 }).nodes).toBe(0);
  });
  it('has one list of keys for items that have the same ones', () => {
    const messages = [message(0), message(1)];
    const before = share({ messages }, { hash }).state;
    const { value } = share({ messages: [...messages, message(2)] }, { hash, before }).state;
    const items = containersIn(containersIn(value)[0] ?? null);
    expect(items).toHaveLength(3);
    expect(items[2]?.keys).toEqual(['id', 'role', 'content']);
    expect(items[2]?.keys).toBe(items[1]?.keys);
  });
  it('grows neither with a conversation nor with the memory beside it', () => {
    const save = saver();
    const memory = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`key ${n}`, `value ${n}`]));
    const messages = Array.from({ length: 3_000 }, (_, n) => message(n));
    save({ memory, messages });
    for (let n = 0; n < 20; n++) {
      messages.push(message(3_000 + n));
      const { nodes, bytes } = save({ memory: { ...memory, 'key 7': n }, messages });
      expect(nodes).toBeLessThan(12);
      expect(bytes).toBeLessThan(6_000);
    }
  });
  it.each([
    ['one inserted in front of 10,000', (items: unknown[]) => [message(-1), ...items]],
    ['one removed from the middle', (items: unknown[]) => items.toSpliced(5_000, 1)],
    ['one changed at each end', (items: unknown[]) => items.with(0, 'a').with(9_999, 'b')],
  ])('is a few nodes for %s', (_, change) => {
    const save = saver();
    const items = Array.from({ length: 10_000 }, (_item, n) => message(n));
    save(items);
    expect(save(change(items)).nodes).toBeLessThan(14);
  });
  it('is as little where numbers change all over a long list', () => {
    const save = saver();
    const items = Array.from({ length: 10_000 }, (_, n) => n);
    save(items);
    const all = items.map((n) => (n % 1_000 === 0 ? n + 1 : n));
    expect(save(all).bytes).toBeLessThan(20_000);
  });
  it('does not look into what is declared never to change', () => {
    const save = saver();
    let reads = 0;
    const once = {
      get text() {
        reads++;
        return 'x'.repeat(300);
      },
    };
    const state = { first: once, n: 0 };
    save(state, { immutable: true });
    const looked = reads;
    save({ ...state, n: 1 }, { immutable: true });
    expect(reads).toBe(looked);
  });
});

it('does not look again into what a save has found to be the same, as after a restart', () => {
  let reads = 0;
  const shown = {
    get text() {
      reads++;
      return 'x'.repeat(300);
    },
  };
  // Read from a store: it was made of no object that the agent has.
  const { state } = share({ list: [shown], n: 0 }, { hash });
  const value = { list: [shown], n: 1 };
  const before = share(value, { hash, before: state, immutable: true }).state;
  const looked = reads;
  share({ ...value, n: 2 }, { hash, before, immutable: true });
  share({ list: [...value.list, 'more'], n: 2 }, { hash, before, immutable: true });
  expect(reads).toBe(looked);
});

it.each([
  ['no prototype', Object.assign(Object.create(null) as object, { a: 1 })],
  ['members that are undefined', { a: 1, left: undefined, out: { all: undefined } }],
  [
    'escapes and characters of all lengths',
    ['"\\\b\u0001\u007f', 'é→😀', '\ud800', 'a\udc00\ud800b', { '\ud800"é': 1 }],
  ],
])('writes what JSON.stringify writes for %s, and knows its bytes', (_, value) => {
  const text = JSON.stringify(value);
  const { state, fresh } = share(value, { hash });
  expect(fresh.map(bodyOf)).toEqual([text]);
  expect(state.bytes).toBe(new TextEncoder().encode(text).length);
});

describe('a value that JSON cannot hold', () => {
  const loop: unknown[] = [];
  loop.push(loop);
  it.each([
    ['itself', loop],
    ['nothing', undefined],
    ['a hole', Object.assign([1], { 2: 3 })],
    ['a method', { a: 1, more: () => 5 }],
    ['boxed values', [Object('a')]],
  ])('%s is refused', (_, value) => {
    const before = share({ a: 1 }, { hash }).state;
    expect(() => share(value, { hash, before })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});

it.each([
  ['-0', { a: 0, list: [{ n: 0 }] }, { a: -0, list: [{ n: -0 }] }],
  ['a BigInt', { a: 1 }, { a: 12_345_678_901_234_567_890n }],
  ['a whole number past 2^53', { a: 1 }, { a: 2 ** 60 }],
])('%s is written with all that it says, also after a state that is almost the same', (_, first, value) => {
  for (const before of [undefined, share(first, { hash }).state, share(first, { hash, immutable: true }).state]) {
    const { state, fresh } = share(value, { hash, before });
    expect(textOf(stored(fresh), state.node.id)).toBe(toJsonText(value));
  }
});

it('keeps what is nested more deeply than it looks', async () => {
  const text = `${'['.repeat(3_000)}1.0${']'.repeat(3_000)}`;
  const { state, fresh } = share(valuesOf(text), { hash });
  const nodes = stored(fresh);
  expect(textOf(nodes, state.node.id)).toBe(text);
});

it('takes a value that is nested more deeply than JSON.stringify can write it', () => {
  const nested = (depth: number): unknown => {
    let value: unknown = 1;
    for (let n = 0; n < depth; n++) value = [value];
    return value;
  };
  for (const depth of [3_000, 100_000]) {
    const { state, fresh } = share(nested(depth), { hash });
    expect(textOf(stored(fresh), state.node.id)).toBe(`${'['.repeat(depth)}1${']'.repeat(depth)}`);
  }
});

it('reads a stored state again without writing its long strings', () => {
  const long = 'said "so"\n'.repeat(400);
  const { state, fresh } = share({ text: long, list: [long, 'short'] }, { hash });
  const nodes = stored(fresh);
  const written = vi.spyOn(JSON, 'stringify');
  onTestFinished(() => written.mockRestore());
  const { bytes } = sharedOf(nodes, state.node.id);
  expect(written.mock.calls.filter(([value]) => value === long)).toEqual([]);
  expect(bytes).toBe(state.bytes);
});

it('reads a string again that looks like a reference to another node', () => {
  const long = 'long '.repeat(500);
  for (const item of ['\u001f1;', '\u001f', `${long}\u001f1;`]) {
    const value = { long, item, items: Array.from({ length: 40 }, () => ({ item, long })) };
    const { state, fresh } = share(value, { hash });
    const before = sharedOf(stored(fresh), state.node.id);
    expect(share(value, { hash, before }).fresh).toEqual([]);
  }
});

it('names the part of a state that is damaged, when the state is read again', () => {
  const body = `"${'torn '.repeat(500)}`;
  const nodes = new Map([[7, { kind: KIND.value, body, hash: '' }]]);
  expect(() => sharedOf(nodes, 7)).toThrow(expect.objectContaining({ code: 'unreadable', data: { node: 7 } }));
});

it('says which part of a state is missing', () => {
  expect(() => textOf(new Map(), 7)).toThrow(expect.objectContaining({ code: 'unreadable' }));
});

it.each([
  ['contains itself', [[1, '[\u001f1;]']]],
  ['is nothing but itself', [[1, '\u001f1;']]],
  ['doubles at every level', Array.from({ length: 60 }, (_, at) => [at + 1, `[\u001f${at + 2};,\u001f${at + 2};]`])],
] as const)('a damaged state that %s ends as unreadable', (_, bodies) => {
  const nodes = new Map(bodies.map(([id, body]) => [Number(id), { kind: KIND.value, body: String(body) }]));
  expect(() => textOf(nodes, 1, 50)).toThrow(expect.objectContaining({ code: 'unreadable' }));
});
