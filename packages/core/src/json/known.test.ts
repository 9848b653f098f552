import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InspectorError } from '../errors.ts';
import { plainNode } from '../testing/plain-node.ts';
import { twinOf } from './known.ts';
import type { JsonNode } from './node.ts';
import { parseJson } from './read.ts';

const readAfter = (before: string, after: string): JsonNode =>
  parseJson(after, { text: before, root: parseJson(before) });

const long = fc.constantFrom('a long text that is worth comparing', 'another long text that is worth comparing', 'x');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    fc.oneof(long, fc.integer({ min: 0, max: 3 }), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 8 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'id'), tie('value'), { maxKeys: 4 }),
  ),
}));

/** Some entries of lists at other places, gone, twice or replaced. */
const edited = (root: unknown, choose: () => number): unknown => {
  if (Array.isArray(root)) {
    const items = root.flatMap((item: unknown) => {
      const choice = choose();
      if (choice === 0) return [];
      if (choice === 1) return [{ new: 1 }, item];
      return choice === 2 ? [item, item] : [edited(item, choose)];
    });
    return choose() === 3 ? items.toReversed() : items;
  }
  if (typeof root !== 'object' || root === null) return choose() === 4 ? 'changed' : root;
  return Object.fromEntries(Object.entries(root).map(([key, item]) => [key, edited(item, choose)]));
};

it('reads a text after another one as it reads it alone', () => {
  fc.assert(
    fc.property(value, fc.array(fc.integer({ min: 0, max: 12 })), fc.boolean(), (root, choices, spaced) => {
      const before = JSON.stringify(root);
      let at = 0;
      const after = JSON.stringify(
        edited(root, () => choices[at++ % (choices.length + 1)] ?? 12),
        null,
        spaced ? 1 : 0,
      );
      expect(plainNode(readAfter(before, after))).toEqual(plainNode(parseJson(after)));
    }),
    { numRuns: 3_000 },
  );
});

it('takes what is the same from the text before, wherever it has come to be', () => {
  const message = (n: number) => ({ id: `m${n}`, content: `message ${n} of a conversation` });
  const before = JSON.stringify({ n: 9, list: Array.from({ length: 20 }, (_, n) => message(n)) });
  const after = JSON.stringify({
    n: 10,
    list: [message(99), ...Array.from({ length: 20 }, (_, n) => message(n)).slice(2)],
  });
  const root = readAfter(before, after);
  const list = root.kind === 'object' ? root.members[1]?.value : undefined;
  const items = list?.kind === 'array' ? list.items : [];
  expect(items.map((item) => twinOf(item) !== undefined)).toEqual([false, ...Array.from({ length: 18 }, () => true)]);
  const same = parseJson(before);
  expect(parseJson(before, { text: before, root: same })).toBe(same);
});

const said = (read: () => JsonNode): unknown => {
  try {
    return plainNode(read());
  } catch (error) {
    return InspectorError.from(error).message;
  }
};

it.each(['{"a":[1,2,3],"b":"x"', '{"a":[1,2,3]]', '{"a":[1,2,3],"b":"x"} '])(
  'tells the same defect or end: %s',
  (after) => {
    expect(said(() => readAfter('{"a":[1,2,3],"b":"x"}', after))).toEqual(said(() => parseJson(after)));
  },
);

it('reads a text that differs in one place, whichever that is, as it reads it alone, or tells the same defect', () => {
  const members = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`key ${n}`, n % 3 === 0 ? n * 100 : `v${n}`]),
  );
  const before = JSON.stringify({
    n: 123,
    ...members,
    list: [1, 23, 456, members, 'a\n"b"', null, true, -1.5e3],
    end: 12,
  });
  const root = parseJson(before);
  for (let at = 0; at <= before.length; at++) {
    for (const piece of ['', '1', '"', '\\', ',', ' ', '\u0001', '{}', 'é', before.slice(at, at + 9).repeat(2)]) {
      for (const gone of [0, 1, 9]) {
        const after = before.slice(0, at) + piece + before.slice(at + gone);
        expect(
          said(() => parseJson(after, { text: before, root })),
          after,
        ).toEqual(said(() => parseJson(after)));
      }
    }
  }
});

it('reads 20,000 levels that differ at the bottom in linear time', () => {
  const deep = (bottom: number): string => `${'['.repeat(20_000)}${bottom}${']'.repeat(20_000)}`;
  expect(readAfter(deep(1), deep(2)).end).toBe(40_001);
});
