import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sourceOf } from '../json/node.ts';
import type { Path } from '../json/path.ts';
import { valueAt } from '../json/path.ts';
import { parseJson } from '../json/read.ts';
import { locate } from './locate.ts';

const whole = (text: string, path: Path): string | undefined => {
  const node = valueAt(text, parseJson(text), path);
  return node && sourceOf(text, node);
};

const key = fc.oneof(fc.constantFrom('a', 'b', '', '__proto__', 'a.b', '\\n', '\n', '"', 'é'), fc.string());
const { tree: json } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('1.0', '-0', '12345678901234567890', 'null', 'true', 'NaN', '-Infinity', '{ }', '[ ]'),
    fc.string().map((text) => JSON.stringify(text)),
    fc.array(tie('tree'), { maxLength: 4 }).map((items) => `[ ${items.join(' ,\n')} ]`),
    fc
      .array(fc.tuple(key, tie('tree')), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)} : ${value}`).join(',')}}`),
  ),
}));
const path = fc.array(fc.oneof(key, fc.nat(3)), { maxLength: 4 });

describe('locate', () => {
  it('finds what reading the whole text finds', () => {
    fc.assert(
      fc.property(json, path, (text, steps) => {
        expect(locate(text, steps)).toBe(whole(text, steps));
      }),
    );
  });

  it('takes the last of duplicate keys, and keys however they are escaped', () => {
    expect(locate('{"a":1,"a":2}', ['a'])).toBe('2');
    expect(locate(String.raw`{"\u0061":1}`, ['a'])).toBe('1');
    expect(locate(String.raw`{"\\n":1,"\n":2}`, ['\n'])).toBe('2');
    expect(locate('{"__proto__":{"":3}}', ['__proto__', ''])).toBe('3');
  });

  it('works at any depth', () => {
    const depth = 200_000;
    expect(locate(`[${'['.repeat(depth)}${']'.repeat(depth)},7]`, [1])).toBe('7');
  });

  it.each(['{"a" 1}', '{a:1}', '{"a":', '{"a":1', '[1', '["x', '{"a":x}', ''])('says where %j breaks', (text) => {
    expect(() => locate(text, [text.startsWith('[') ? 1 : 'a'])).toThrow(/Not JSON at offset/);
  });
});
