import { describe, expect, it } from 'vitest';
import { rngOf } from '../testing/rng.ts';
import { answerNodes, partOfNodes } from './index.ts';
import { anyValue } from './testing/grown.ts';
import { Rows } from './testing/rows.ts';

const message = (n: number) => ({ id: `m${n}`, role: 'user', content: `${n} `.repeat(150) });
const state = (length: number) => ({ step: 1, messages: Array.from({ length }, (_, n) => message(n)) });

describe('a part of a stored state', () => {
  it('is a page of a list, read by its place', () => {
    const reads = (length: number): number => {
      const rows = new Rows();
      const { node } = rows.save(state(length));
      rows.reads = 0;
      const range = { offset: length - 70, limit: 50 };
      const part = answerNodes(partOfNodes(node.id, ['messages'], range), rows.find);
      const text = JSON.stringify(state(length).messages.slice(-70, -20));
      expect(part).toEqual({ text, count: length });
      return rows.reads;
    };
    expect(reads(200)).toBeLessThan(70);
    expect(reads(20_000)).toBeLessThan(75);
  });

  it('is the value at a path, exactly as in the text', () => {
    for (let run = 0; run < 100; run++) {
      const rows = new Rows();
      const value: unknown = JSON.parse(JSON.stringify({ list: [anyValue(rngOf('part', run)), 1], '': { a: 1 } }));
      const { node } = rows.save(value);
      const at = (path: readonly (string | number)[]) => answerNodes(partOfNodes(node.id, path), rows.find)?.text;
      expect(at([]), `run ${run}`).toBe(JSON.stringify(value));
      const { list = [] } = value as { list?: unknown[] };
      expect(at(['list', 0]), `run ${run}`).toBe(JSON.stringify(list[0]));
      expect(at(['', 'a'])).toBe('1');
    }
  });

  it('gives the members of an object in their order, and nothing beyond the end', () => {
    const rows = new Rows();
    const { node } = rows.save({ b: 1, a: [2], '': 3 });
    const part = (offset: number) => answerNodes(partOfNodes(node.id, [], { offset, limit: 2 }), rows.find);
    expect(part(1)).toEqual({ text: '{"a":[2],"":3}', count: 3 });
    expect(part(3)).toEqual({ text: '{}', count: 3 });
  });

  it('names the deepest part that is there, and is left to the text where it is large', () => {
    const rows = new Rows();
    const { node } = rows.save(state(100));
    const at = (path: readonly (string | number)[], reads = 1_000) =>
      answerNodes(partOfNodes(node.id, path, undefined, { reads, characters: 1e9 }), rows.find);
    expect(() => at(['messages', 100])).toThrow(expect.objectContaining({ data: { path: '$.messages' } }));
    expect(() => at(['messages', 'id'])).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => at(['step', 'x'])).toThrow(expect.objectContaining({ data: { path: '$.step' } }));
    expect(at(['messages'], 20)).toBeUndefined();
  });
});
