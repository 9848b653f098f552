import { describe, expect, it } from 'vitest';
import { partOf } from './part.ts';
import type { PartQuery } from './part.ts';
import { indexJson } from './skim.ts';

const part = (text: string, query: Partial<PartQuery> = {}) =>
  partOf(indexJson(text), { path: [], limit: 100, depth: 1, preview: 40, ...query });

describe('a part of a text', () => {
  it('is the value as it is written, with its children', () => {
    expect(part('{"n": 1.0, "big": 12345678901234567890, "list": [1, 2 , 3], "none": {}}')).toEqual({
      path: '$',
      kind: 'object',
      length: 71,
      count: 4,
      text: '{"n": 1.0, "big": 12345678901234567890, ',
      cut: true,
      trail: [],
      offset: 0,
      children: [
        { step: 'n', place: 0, kind: 'number', length: 3, text: '1.0' },
        { step: 'big', place: 1, kind: 'number', length: 20, text: '12345678901234567890' },
        { step: 'list', place: 2, kind: 'array', length: 10, count: 3, text: '[1, 2 , 3]' },
        { step: 'none', place: 3, kind: 'object', length: 2, count: 0, text: '{}' },
      ],
    });
  });

  it('is found by its path, with the way to it', () => {
    const found = part('{"a": {"x.y": [true, {"deep": "é"}]}}', { path: ['a', 'x.y', 1, 'deep'], depth: 0 });
    expect(found).toMatchObject({ path: '$.a["x.y"][1].deep', kind: 'string', text: '"é"' });
    expect(found.children).toBeUndefined();
    expect(found.trail).toEqual([
      { kind: 'object', count: 1, place: 0 },
      { kind: 'object', count: 1, place: 0 },
      { kind: 'array', count: 2, place: 1 },
      { kind: 'object', count: 1, place: 0 },
    ]);
  });

  it('lists any page of a long array', () => {
    const text = `[${Array.from({ length: 100_000 }, (_, place) => place).join(',')}]`;
    const page = part(text, { offset: 99_950, limit: 100 });
    expect(page.count).toBe(100_000);
    expect(page.children).toHaveLength(50);
    expect(page.children?.[0]).toMatchObject({ step: 99_950, text: '99950' });
    expect(part(text, { offset: 100_000 }).children).toEqual([]);
  });

  it('gives deeper levels as far as an answer may grow', () => {
    const text = `[${Array.from({ length: 100 }, () => `[${Array.from({ length: 100 }, () => 1).join(',')}]`).join(',')}]`;
    const rows = part(text, { depth: 2 }).children ?? [];
    expect(rows.filter(({ children }) => children !== undefined)).toHaveLength(19);
    expect(part('{"a":{"b":{"c":1}}}', { depth: 3 }).children?.[0]?.children?.[0]?.children?.[0]?.text).toBe('1');
  });

  it('says which of two equal keys a path does not mean', () => {
    const found = part('{"a": [1], "b": 0, "a": [2]}');
    expect(found.children?.map(({ step, shadowed }) => [step, shadowed])).toEqual([
      ['a', true],
      ['b', undefined],
      ['a', undefined],
    ]);
    expect(part('{"a": [1], "b": 0, "a": [2]}', { path: ['a'] }).text).toBe('[2]');
  });

  it('does not part a character where it cuts', () => {
    expect(part('"😀😀😀"', { preview: 4 }).text).toBe('"😀');
  });

  it('names the deepest part that is there', () => {
    const wrong: PartQuery['path'][] = [
      ['a', 'x'],
      ['a', 3],
      ['a', 0, 'z'],
    ];
    for (const path of wrong)
      expect(() => part('{"a":[1]}', { path })).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => part('{"a":[1]}', { path: ['a', 'x'] })).toThrow(expect.objectContaining({ data: { path: '$.a' } }));
  });
});
