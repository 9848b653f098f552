import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sourceOf } from './node.ts';
import { ANY, BELOW, formatPath, parsePath, parseSteps, valueAt } from './path.ts';
import { parseJson } from './read.ts';

describe('paths', () => {
  it.each([
    [[], '$'],
    [['a', 'x.y', 0], '$.a["x.y"][0]'],
    [['0'], '$["0"]'],
    [['', '__proto__', '_t'], '$[""].__proto__._t'],
    [['*', '**'], '$["*"]["**"]'],
    [['a"]', 'é', '\ud800', '\n'], '$["a\\"]"]["é"]["\\ud800"]["\\n"]'],
    [['$', 'a-b', 'a b'], '$.$["a-b"]["a b"]'],
  ])('writes %j as %s and reads it back', (path, text) => {
    expect(formatPath(path)).toBe(text);
    expect(parsePath(text)).toEqual(path);
  });

  it('reads back any path', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.nat())), (path) => {
        expect(parsePath(formatPath(path))).toEqual(path);
      }),
    );
  });

  it('reads keys that a person leaves unquoted', () => {
    expect(parsePath('$.a-b.0.größe')).toEqual(['a-b', '0', 'größe']);
  });

  it('reads keys as other programs quote them', () => {
    expect(parsePath(`$['a.b'][0]['it\\'s']['say "no"']['\\u00e9\\\\']`)).toEqual([
      'a.b',
      0,
      "it's",
      'say "no"',
      'é\\',
    ]);
  });

  it.each([
    '',
    'a',
    '.a',
    '$a',
    '$.',
    '$..a',
    '$.a.',
    '$[',
    '$[]',
    '$[01]',
    '$[-1]',
    '$[1.5]',
    '$["a]',
    '$["a"',
    "$['a",
    "$['a'",
    String.raw`$['\x']`,
    '$.*',
    '$[*]',
    '$.**',
    '$.a[0',
  ])('refuses %j as a path', (text) => {
    expect(() => parsePath(text)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  it('reads the wild steps of rules, "**" only at the end', () => {
    expect(parseSteps('$.a.*[*].**')).toEqual(['a', ANY, ANY, BELOW]);
    expect(() => parseSteps('$.**.a')).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});

describe('valueAt', () => {
  const text = '{"a":[10,{"":"x","__proto__":1}],"0":true,"d":1,"d":2}';
  const at = (path: string): string | undefined => {
    const node = valueAt(text, parseJson(text), parsePath(path));
    return node && sourceOf(text, node);
  };

  it.each([
    ['$', text],
    ['$.a[0]', '10'],
    ['$.a[1][""]', '"x"'],
    ['$.a[1].__proto__', '1'],
    ['$["0"]', 'true'],
    ['$.d', '2'],
  ])('finds %s', (path, source) => {
    expect(at(path)).toBe(source);
  });

  it.each(['$.b', '$[0]', '$.a["0"]', '$.a[2]', '$.a[0].x', '$.toString', '$.constructor', '$.a.length'])(
    'finds nothing at %s',
    (path) => {
      expect(at(path)).toBeUndefined();
    },
  );
});
