import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { share, type SharedState } from './index.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Shares one value after the other, and holds each to what it is when nothing came before it. */
function sharing(): (value: unknown, before?: SharedState) => SharedState {
  return (value, before) => {
    const { state } = share(value, { hash, before });
    expect(state.node.hash).toBe(share(value, { hash }).state.node.hash);
    return state;
  };
}

const item = (n: number): Record<string, unknown> => ({ id: n, text: `the ${n}th`, isDone: n % 2 === 0, more: null });
const items = (count: number) => Array.from({ length: count }, (_, n) => item(n));

describe('what is the same at the front of an array', () => {
  it('is the very items of before', () => {
    const save = sharing();
    const before = save(items(30));
    const after = save(items(31), before);
    const [old, now] = [before.value, after.value].map((value) => Object(value).values);
    expect(now.slice(0, 30).every((value: unknown, at: number) => value === old[at])).toBe(true);
  });

  it.each<[name: string, change: (all: Record<string, unknown>[]) => void]>([
    ['a member changes in place', (all) => Object.assign(all[3] ?? {}, { text: 'other' })],
    ['a member is added', (all) => Object.assign(all[3] ?? {}, { added: 1 })],
    ['a member goes', (all) => delete all[3]?.['more']],
    ['a member becomes one that is not written', (all) => Object.assign(all[3] ?? {}, { more: undefined })],
    ['a member becomes a list', (all) => Object.assign(all[3] ?? {}, { more: [1] })],
    ['members change places', (all) => (all[3] = Object.fromEntries(Object.entries(item(3)).reverse()))],
    ['zero becomes its negative', (all) => Object.assign(all[0] ?? {}, { id: -0 })],
    ['an item goes', (all) => all.splice(3, 1)],
    ['an item comes', (all) => all.unshift(item(99))],
    ['an item becomes a list', (all) => Object.assign(all, { 3: ['id', 3] })],
  ])('is seen to end where %s', (_name, change) => {
    const save = sharing();
    const all = items(30);
    const before = save(all);
    change(all);
    const after = save(all, before);
    all.push(item(30));
    save(all, after);
  });

  it.each<[name: string, change: (all: Record<string, unknown>[]) => void]>([
    ['a number becomes none', (all) => Object.assign(all[3] ?? {}, { id: Number.NaN })],
    ['an item says itself what is written', (all) => Object.assign(all[3] ?? {}, { toJSON: () => 'other' })],
    ['an item becomes a boxed string', (all) => Object.assign(all, { 3: Object('id') })],
    ['an item becomes one of a class', (all) => (all[3] = Object.assign(Object.create({ inherited: 1 }), item(3)))],
  ])('is refused where %s', (_name, change) => {
    const all = items(30);
    const { state: before } = share(all, { hash });
    change(all);
    expect(() => share(all, { hash, before })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  it('is told apart from a value that is written as its digits or its parts', () => {
    const save = sharing();
    const parts = [{ 0: 'a', 1: 'b' }, { source: '1.0' }, { keys: 'a', values: 'b' }, {}];
    const before = save([...parts, ...items(9)]);
    const others: readonly unknown[] = ['ab', '1.0', ['b'], []];
    for (const [at, other] of others.entries()) save([...(parts as unknown[]).with(at, other), ...items(9)], before);
  });

  it('is also that of items with very many members', () => {
    const save = sharing();
    const wide = Object.fromEntries(Array.from({ length: 150_000 }, (_, n) => [`key ${n}`, n]));
    const before = save([wide, wide]);
    save([wide, wide, { ...wide, more: 1 }], before);
  });

  it('is of each state for itself, where several grow out of one', () => {
    const save = sharing();
    const trunk = save(items(20));
    const left = save([...items(20), { left: 1 }, { left: 2 }], trunk);
    const right = save([...items(20), { right: 1 }], trunk);
    save([...items(20), { left: 1 }, { left: 2 }, { left: 3 }], left);
    save([...items(20), { right: 1 }, { left: 2 }], right);
    save([...items(20), { left: 1 }], right);
    save(items(19), left);
  });
});
