import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffGrown } from './grown.ts';
import { diffJson } from './diff.ts';

const value = fc.json({ maxDepth: 2 });
const member = fc.option(value, { nil: undefined });
const items = fc.array(
  fc.oneof(
    value,
    fc.record({ id: fc.integer({ min: 0, max: 3 }) }).map((item) => JSON.stringify(item)),
  ),
  { maxLength: 6 },
);

const stateOf = (members: readonly (readonly [string, string | undefined])[], list: readonly string[]): string =>
  `{${[...members.flatMap(([key, text]) => (text === undefined ? [] : [`${JSON.stringify(key)}:${text}`])), `"items":[${list.join(',')}]`].join(',')}}`;

it('says what is said of the whole states, both ways and with rules', () => {
  fc.assert(
    fc.property(member, member, member, member, items, items, (turn, nextTurn, usage, nextUsage, both, more) => {
      const before = stateOf(
        [
          ['turn', turn],
          ['usage', usage],
        ],
        both,
      );
      const after = stateOf(
        [
          ['turn', nextTurn],
          ['usage', nextUsage],
        ],
        [...both, ...more],
      );
      const members = [
        { key: 'turn', before: turn, after: nextTurn },
        { key: 'usage', before: usage, after: nextUsage },
      ];
      const turned = members.map(({ key, before: old, after: own }) => ({ key, before: own, after: old }));
      const list = { key: 'items', count: both.length };
      for (const ignore of [[], ['$.turn'], ['$.items[*].id'], [`$.items[${both.length}]`]]) {
        const { equal: _one, ...whole } = diffJson(before, after, { ignore });
        expect(diffGrown({ members, list: { ...list, before: [], after: more } }, { ignore })).toEqual(whole);
        const { equal: _other, ...back } = diffJson(after, before, { ignore });
        expect(diffGrown({ members: turned, list: { ...list, before: more, after: [] } }, { ignore })).toEqual(back);
      }
    }),
  );
});
