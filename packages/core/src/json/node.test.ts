import { describe, expect, it } from 'vitest';
import { memberOf, sourceOf, stringOf } from './node.ts';
import { parseJson } from './read.ts';

describe('nodes', () => {
  it('give their source and their unescaped string', () => {
    const text = '{"a":"x\\u00e9\\n","b":1.50,"c":[1, 2]}';
    const root = parseJson(text);
    const valueOf = (key: string): [string, string] => {
      const value = (root.kind === 'object' && memberOf(root, key)?.value) || root;
      return [sourceOf(text, value), stringOf(text, value)];
    };
    expect(valueOf('a')).toEqual(['"x\\u00e9\\n"', 'xé\n']);
    expect(valueOf('b')).toEqual(['1.50', '1.50']);
    expect(valueOf('c')).toEqual(['[1, 2]', '[1, 2]']);
  });

  it('find only members that are written', () => {
    const root = parseJson('{"a":1}');
    expect(root.kind === 'object' && memberOf(root, 'toString')).toBeUndefined();
  });
});
