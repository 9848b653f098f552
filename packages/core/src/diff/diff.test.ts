import { describe, expect, it } from 'vitest';
import { parsePath } from '../json/index.ts';
import { diffEntries, diffJson } from './index.ts';
import type { Difference, DiffOptions } from './index.ts';

/** Rows as `kind path before → after (from)`. */
function rows(before: string, after: string, ignore: readonly string[] = []): string[] {
  return diffJson(before, after, { ignore }).items.map(row);
}

function row({ kind, path, before, after, from }: Difference): string {
  if (kind === 'moved') return `moved ${path} from ${from}`;
  return [kind, path, before, before !== undefined && after !== undefined && '→', after]
    .filter((part) => part !== undefined && part !== false)
    .join(' ');
}

it('tells what moved before what was removed behind it', () => {
  const states = [
    [1, 2, 3, 4],
    [4, 1, 3],
  ].map((ids) => JSON.stringify(ids.map((id) => ({ id }))));
  const { items } = diffJson(states[0] ?? '', states[1] ?? '');
  expect(items.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['moved $[0]', 'removed $[1]']);
});

describe('diffJson', () => {
  it('tells the kinds apart', () => {
    expect(rows('{"a":1,"b":2,"c":"x"}', '{"a":1,"b":"2","c":"y","d":null}')).toEqual([
      'type-changed $.b 2 → "2"',
      'changed $.c "x" → "y"',
      'added $.d null',
    ]);
    expect(diffJson('{"a":1,"b":2,"c":"x"}', '{"a":1,"b":"2","c":"y","d":null}')).toMatchObject({
      summary: { added: 1, removed: 0, changed: 2, moved: 0 },
      equal: 1,
    });
  });

  it.each([
    ['{"a":0}', '{"a":"0"}', 'type-changed $.a 0 → "0"'],
    ['{"a":{}}', '{"a":[]}', 'type-changed $.a {} → []'],
    ['{"a":null}', '{"a":1}', 'type-changed $.a null → 1'],
    ['{"a":null}', '{"a":false}', 'type-changed $.a null → false'],
    ['{"a":true}', '{"a":false}', 'changed $.a true → false'],
    ['{"a":null}', '{}', 'removed $.a null'],
    ['{}', '{"a":null}', 'added $.a null'],
    ['0', '-0', 'changed $ 0 → -0'],
    ['{"a":1.0}', '{"a":1}', 'changed $.a 1.0 → 1'],
    [
      '{"a":12345678901234567890}',
      '{"a":12345678901234567891}',
      'changed $.a 12345678901234567890 → 12345678901234567891',
    ],
    ['{"a":NaN}', '{"a":null}', 'type-changed $.a NaN → null'],
    ['{"a":"é"}', '{"a":"e\u0301"}', 'changed $.a "é" → "e\u0301"'],
    ['{"é":1}', '{"e\u0301":1}', 'removed $["é"] 1'],
    ['{"__proto__":1}', '{"__proto__":2}', 'changed $.__proto__ 1 → 2'],
    ['{"constructor":{"prototype":1}}', '{}', 'removed $.constructor {"prototype":1}'],
    ['{}', '{"toString":1}', 'added $.toString 1'],
    ['{"":1,"_t":"a","a.b":2}', '{"":1,"_t":"a","a.b":3}', 'changed $["a.b"] 2 → 3'],
    ['{"_t":"a"}', '{}', 'removed $._t "a"'],
    ['[]', '[[]]', 'added $[0] []'],
    ['[]', '{}', 'type-changed $ [] → {}'],
    ['{"a":{"b":[1,{"c":2}]}}', '{"a":{"b":[1,{"c":3}]}}', 'changed $.a.b[1].c 2 → 3'],
    ['{"a":"\\u0001"}', '{"a":"\\u0002"}', 'changed $.a "\\u0001" → "\\u0002"'],
  ])('%s to %s', (before, after, first) => {
    expect(rows(before, after)[0]).toBe(first);
  });

  it.each([
    ['{"a":1,"b":[1,{"c":2}]}', '{ "b" : [ 1, { "c": 2 } ],\n "a": 1 }'],
    ['["\\u00e9"]', '["é"]'],
    ['[1,2]', '[1, 2]'],
    ['{"a":1,"b":0,"a":2}', '{"b":0,"a":1,"a":2}'],
  ])('finds nothing between %s and %s', (before, after) => {
    expect(diffJson(before, after)).toMatchObject({
      items: [],
      summary: { added: 0, removed: 0, changed: 0, moved: 0 },
    });
  });

  describe('duplicate keys', () => {
    it('compare by path where only the value that counts differs', () => {
      expect(rows('{"a":1,"a":2}', '{"a":1,"a":3}')).toEqual(['changed $.a 2 → 3']);
    });

    it.each([
      ['{"x":{"a":1,"a":2}}', '{"x":{"a":9,"a":2}}'],
      ['{"x":{"a":1,"a":2}}', '{"x":{"a":2}}'],
      ['{"x":{"a":1,"a":2}}', '{"x":{"a":2,"a":1}}'],
      ['{"x":{"a":1,"a":2}}', '{"x":{}}'],
    ])('show the whole object where a hidden value differs: %s, %s', (before, after) => {
      expect(rows(before, after)).toEqual([`changed $.x ${before.slice(5, -1)} → ${after.slice(5, -1)}`]);
    });
  });

  describe('arrays', () => {
    it('show an insertion in front of 10,000 elements as one row', () => {
      const items = Array.from({ length: 10_000 }, (_, i) => `{"id":${i},"v":[${i}]}`);
      expect(rows(`[${items.join()}]`, `[{"id":-1},${items.join()}]`)).toEqual(['added $[0] {"id":-1}']);
    });

    it('show a moved element as one row, with and without ids', () => {
      const withIds = ['{"id":"a"}', '{"id":"b"}', '{"id":"c"}', '{"id":"d"}'];
      const plain = ['"a"', '"b"', '[1]', '{"x":1}'];
      for (const [a, b, c, d] of [withIds, plain]) {
        expect(rows(`[${[a, b, c, d].join()}]`, `[${[d, a, b, c].join()}]`)).toEqual(['moved $[0] from $[3]']);
        expect(rows(`[${[a, b, c, d].join()}]`, `[${[b, c, a, d].join()}]`)).toEqual(['moved $[2] from $[0]']);
      }
    });

    it('name no move of an element that stays at its place while others change sides', () => {
      expect(rows('["a","b","c"]', '["c","b","a"]')).toEqual(['moved $[0] from $[2]', 'moved $[2] from $[0]']);
      const long = rows('["a","b","F","d","e"]', '["d","e","F","a","b"]');
      expect(long).toHaveLength(4);
      expect(long.join()).not.toContain('$[2]');
    });

    it('show what changed inside a moved element at its new place', () => {
      const before = '{"m":[{"id":1,"t":"a"},{"id":2,"t":"b","u":0},{"id":3,"t":"c"}]}';
      const after = '{"m":[{"id":3,"t":"c"},{"id":4},{"id":1,"t":"a"},{"id":2,"t":"B"}]}';
      expect(rows(before, after)).toEqual([
        'moved $.m[0] from $.m[2]',
        'added $.m[1] {"id":4}',
        'changed $.m[3].t "b" → "B"',
        'removed $.m[1].u 0',
      ]);
    });

    it('name old indices in removed rows and new ones elsewhere', () => {
      const before = '{"s":["a","b","c","d"]}';
      expect(rows(before, '{"s":["a","b","d"]}')).toEqual(['removed $.s[2] "c"']);
      expect(rows(before, '{"s":["x","a","b","d"]}')).toEqual(['added $.s[0] "x"', 'removed $.s[2] "c"']);
    });

    it('pair what stayed between two neighbours instead of replacing it', () => {
      expect(rows('[1,{"a":1,"b":2},3]', '[1,{"a":1,"b":9},3]')).toEqual(['changed $[1].b 2 → 9']);
      expect(rows('[0]', '["0"]')).toEqual(['type-changed $[0] 0 → "0"']);
    });

    it('keep elements of different identity apart', () => {
      expect(rows('[{"id":1,"v":"x"}]', '[{"id":2,"v":"x"}]')).toEqual([
        'added $[0] {"id":2,"v":"x"}',
        'removed $[0] {"id":1,"v":"x"}',
      ]);
    });

    it('match by the shortest edit among equal values', () => {
      expect(rows('["a","b","a","c"]', '["b","a","c","x"]')).toEqual(['removed $[0] "a"', 'added $[3] "x"']);
    });

    it.each(['id', '_id', 'key', 'uuid', 'stepId', 'requestId', 'checkpointId', 'tool_call_id', 'name'])(
      'match by %s',
      (name) => {
        const one = (id: number, v: number): string => `{"v":${v},"${name}":"n${id}"}`;
        expect(rows(`[${one(1, 1)},${one(2, 2)},${one(3, 3)}]`, `[${one(3, 4)},${one(1, 1)},${one(2, 2)}]`)).toEqual([
          'moved $[0] from $[2]',
          'changed $[0].v 3 → 4',
        ]);
      },
    );

    it('match LangChain messages by kwargs.id', () => {
      const message = (id: string, text: string): string =>
        `{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "${text}", "id": "${id}"}}`;
      expect(
        rows(
          `[${message('1', 'a')}, ${message('2', 'b')}]`,
          `[${message('0', 'z')}, ${message('1', 'a!')}, ${message('2', 'b')}]`,
        ),
      ).toEqual([`added $[0] ${message('0', 'z')}`, 'changed $[1].kwargs.content "a" → "a!"']);
    });

    it('do not match by an id that occurs twice', () => {
      const before = '[{"id":1,"v":1},{"id":1,"v":2}]';
      expect(rows(before, '[{"id":1,"v":2},{"id":1,"v":3}]')).toEqual([
        'removed $[0] {"id":1,"v":1}',
        'added $[1] {"id":1,"v":3}',
      ]);
    });
  });

  describe('ignore rules', () => {
    const before = '{"at":1,"metrics":{"ms":5,"deep":{"x":1}},"steps":[{"at":1,"n":1},{"at":2,"n":2}]}';
    const after = '{"at":2,"metrics":{"ms":6,"deep":{"x":2}},"steps":[{"at":8,"n":1},{"at":9,"n":3}]}';

    it('hide and count differences per rule', () => {
      const ignore = ['$.at', '$.metrics.**', '$.steps[*].at', '$.none'];
      const diff = diffJson(before, after, { ignore });
      expect(diff.items.map(row)).toEqual(['changed $.steps[1].n 2 → 3']);
      expect(diff.ignored).toEqual([
        { rule: '$.at', count: 1 },
        { rule: '$.metrics.**', count: 2 },
        { rule: '$.steps[*].at', count: 2 },
        { rule: '$.none', count: 0 },
      ]);
      expect(diff.summary).toEqual({ added: 0, removed: 0, changed: 1, moved: 0 });
    });

    it('do not identify elements by an ignored id', () => {
      expect(rows('[{"id":1,"v":1}]', '[{"id":2,"v":2}]', ['$[*].id'])).toEqual(['changed $[0].v 1 → 2']);
    });

    it('refuse what is not a rule', () => {
      expect(() => diffJson('1', '2', { ignore: ['a.b'] })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
      const text: unknown = { ignore: '$.a' };
      expect(() => diffJson('1', '2', text as DiffOptions)).toThrow('ignore must be a list of paths.');
    });
  });

  describe('deep states', () => {
    const deep = (core: string, levels: number): string => '[{"a":'.repeat(levels / 2) + core + '}]'.repeat(levels / 2);

    it('are compared in full down to 2,000 levels', () => {
      const [only, ...others] = diffJson(deep('1', 1_998), deep('2', 1_998)).items;
      expect(others).toEqual([]);
      expect(only).toMatchObject({ kind: 'changed', before: '1', after: '2' });
      expect(parsePath(only?.path ?? '')).toHaveLength(1_998);
    });

    it('give one row for what lies below', () => {
      const [only, ...others] = diffJson(deep('1', 200_000), deep('2', 200_000)).items;
      expect(others).toEqual([]);
      expect(parsePath(only?.path ?? '')).toHaveLength(2_000);
      expect(only?.before).toBe(deep('1', 198_000));
    });

    it('are equal when only re-spaced', () => {
      expect(diffJson(deep('1', 200_000), deep(' 1', 200_000))).toMatchObject({ items: [], equal: 1 });
    });
  });

  it('refuses a text that is not JSON', () => {
    expect(() => diffJson('{}', '{')).toThrow(expect.objectContaining({ code: 'unreadable' }));
  });

  it('counts equal leaves, empty containers included', () => {
    expect(diffJson('{"a":[1,2,{}],"b":[],"c":1}', '{"a":[1,2,{}],"b":[],"c":2}').equal).toBe(4);
    expect(diffJson('[1,2,3]', '[3,1,2]')).toMatchObject({ equal: 3, summary: { moved: 1 } });
  });
});

it('refuses states that are values, and a misspelt option', () => {
  const values: readonly [never, never] = [{ a: 1 } as never, { a: 2 } as never];
  const refused = { code: 'invalid_input', message: 'Give each state as JSON text.' };
  expect(() => diffJson(...values)).toThrow(expect.objectContaining(refused));
  const misspelt: object = { ignroe: ['$.a'] };
  const named = { code: 'invalid_input', data: { key: 'ignroe', nearest: 'ignore' } };
  expect(() => diffJson('{"a":1}', '{"a":2}', misspelt)).toThrow(expect.objectContaining(named));
});

describe('the entries of two values', () => {
  it('are counted, and compared where there are as many', () => {
    expect(diffEntries('[1,2]', '[1,2,3]')).toEqual({ before: 2, after: 3 });
    expect(diffEntries('{"a":1,"b":2}', '{"a":1,"b":3}')).toEqual({
      before: 2,
      after: 2,
      items: [{ path: '$.b', kind: 'changed', before: '2', after: '3' }],
    });
    expect(diffEntries('[1]', '1')).toBeUndefined();
  });
});
