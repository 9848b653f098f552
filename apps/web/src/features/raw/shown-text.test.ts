import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownText } from './shown-text.ts';

const ESCAPED =
  '{"big":12345678901234567890.10,"e":1E5,"neg":-0,"dup":1,"dup":2,"s":"\\u00e4\\/","more":[1,2,3,4,5,6,7,8,9,10,11,12]}';

describe('stored text on the screen', () => {
  it('is as stored, or formatted with nothing but line breaks and indents added', () => {
    expect(shownText({ text: ESCAPED, formatted: false, revealed: false })).toEqual({ text: ESCAPED });
    const answer = shownText({ text: ESCAPED, formatted: true, revealed: false });
    const text = 'text' in answer ? answer.text : '';
    expect(text.split('\n').length).toBeGreaterThan(5);
    expect(text.replaceAll(/\s/g, '')).toBe(ESCAPED);
  });

  it('is formatted whatever its length, token by token', () => {
    const long = `[${Array.from({ length: 60_000 }, (_, n) => `{"n":${n}.0,"s":"\\u00e4"}`).join(',')}]`;
    expect(long.length).toBeGreaterThan(1_000_000);
    const answer = shownText({ text: long, formatted: true, revealed: true });
    const text = 'text' in answer ? answer.text : '';
    expect(text.split('\n')).toHaveLength(60_002);
    expect(text.replaceAll(/\s/g, '')).toBe(long);
  });

  it('has the same tokens for any JSON', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        const answer = shownText({ text, formatted: true, revealed: true });
        return 'text' in answer && JSON.stringify(JSON.parse(answer.text)) === JSON.stringify(JSON.parse(text));
      }),
    );
  });

  it('masks secrets in both, also those that are spelled with escapes', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    for (const spelled of [secret, secret.replace('_', '\\u005f')])
      for (const formatted of [false, true]) {
        const masked = JSON.stringify(shownText({ text: `{"k":"${spelled}"}`, formatted, revealed: false }));
        expect(masked).toContain('••••');
        expect(masked).not.toContain(secret.slice(8));
      }
  });

  it('tells what is not JSON', () => {
    expect(shownText({ text: '{"a":', formatted: true, revealed: true })).toEqual({
      notJson: 'This text is not JSON.',
    });
    expect(shownText({ text: '{"a":', formatted: false, revealed: true })).toEqual({ text: '{"a":' });
  });
});
