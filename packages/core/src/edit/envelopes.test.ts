import { describe, expect, it } from 'vitest';
import { memberOf, sourceOf, type JsonObject } from '../json/index.ts';
import { addedEnvelopes } from './document.ts';

const nameOf = (text: string, object: JsonObject): string | undefined => {
  const made = memberOf(object, 'make')?.value;
  return made && sourceOf(text, made);
};

describe('addedEnvelopes', () => {
  it('finds those whose name the text before does not hold anywhere', () => {
    const before = '{"a":{"make":"Message","text":"x"}}';
    const after = '{"a":{"make":"Message","text":"y"},"b":[{"make":"Message"},{"make":"os.system"}]}';
    expect(addedEnvelopes(before, after, nameOf)).toEqual([{ name: '"os.system"', path: '$.b[1]' }]);
    expect(addedEnvelopes(after, before, nameOf)).toEqual([]);
  });

  it('looks inside envelopes and behind duplicate keys too', () => {
    expect(addedEnvelopes('{}', '{"a":{"make":"A","of":{"make":"B"}},"a":1}', nameOf).map(({ path }) => path)).toEqual([
      '$.a',
      '$.a.of',
    ]);
  });
});
