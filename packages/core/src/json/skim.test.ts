import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonNode } from './node.ts';
import { parseJson } from './read.ts';
import { ChildCursor, containerAt, indexJson, MARK, stringEnd, valueEnd } from './skim.ts';
import type { JsonIndex } from './skim.ts';

/** Texts with every kind of space. */
const texts = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('', ' ', '\n\t'))
  .map(([value, space]) => space + JSON.stringify(value, undefined, space) + space);

function compare(index: JsonIndex, node: JsonNode): void {
  expect(valueEnd(index, node.start)).toBe(node.end);
  if (node.kind !== 'object' && node.kind !== 'array') {
    expect(containerAt(index, node.start)).toBeUndefined();
    return;
  }
  const children = node.kind === 'object' ? node.members.map(({ value }) => value) : node.items;
  const container = containerAt(index, node.start);
  expect(container).toMatchObject({ kind: node.kind, start: node.start, end: node.end, count: children.length });
  const cursor = new ChildCursor(index, { kind: node.kind, start: node.start });
  for (const child of children) {
    expect(cursor.next()).toBe(true);
    expect([cursor.start, cursor.end]).toEqual([child.start, child.end]);
    compare(index, child);
  }
  expect(cursor.next()).toBe(false);
}

describe('the light index', () => {
  it('finds the same values as the reader, in any text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const root = parseJson(text);
        const index = indexJson(text);
        expect([index.start, index.end]).toEqual([root.start, root.end]);
        compare(index, root);
      }),
    );
  });

  it('refuses what has no structure of JSON, and says where', () => {
    const broken = [
      '',
      '{',
      '[1,]',
      '{"a" 1}',
      '{"a":1,}',
      '[1 2]',
      '{a:1}',
      '"x',
      '[1]]',
      'nul',
      '01',
      '[1.]',
      '{"a":}',
    ];
    for (const text of broken) {
      expect(() => indexJson(text), text).toThrow(expect.objectContaining({ code: 'unreadable' }));
      const offset = (run: () => unknown): unknown => {
        try {
          return run();
        } catch (error) {
          return (error as { data?: { offset?: number } }).data?.offset;
        }
      };
      expect(
        offset(() => indexJson(text)),
        text,
      ).toBe(offset(() => parseJson(text)));
    }
  });

  it('keeps every so-manieth child of a large container, and goes to any of them', () => {
    const text = `{"list":[${Array.from({ length: 5_000 }, (_, place) => `"item ${place}"`).join(', ')}]}`;
    const index = indexJson(text);
    const list = containerAt(index, text.indexOf('['));
    expect(list?.count).toBe(5_000);
    expect(list?.marks).toHaveLength(Math.ceil(5_000 / MARK));
    for (const place of [0, 63, 64, 65, 3_333, 4_999]) {
      const cursor = new ChildCursor(index, { kind: 'array', start: text.indexOf('[') }, place);
      while (cursor.next() && cursor.place < place);
      expect(text.slice(cursor.start, cursor.end)).toBe(`"item ${place}"`);
    }
  });

  it('takes any depth, and remembers a deep container once it was asked for', () => {
    const deep = `${'['.repeat(50_000)}"x"${']'.repeat(50_000)}`;
    const index = indexJson(deep);
    const before = index.kept.size;
    expect(containerAt(index, 1_000)).toMatchObject({ count: 1, end: deep.length - 1_000 });
    expect(index.kept.size).toBe(before + 1);
  });

  it('ends a string at the first quote that is not escaped', () => {
    const text = String.raw`"a\\\"b\\" "`;
    expect(stringEnd(text, 0)).toBe(text.length - 2);
  });
});
