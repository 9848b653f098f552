import { maskSecrets } from '@checkpoint-inspector/core';
import { afterEach, describe, expect, it } from 'vitest';
import { shownHead } from './format.ts';
import { isMaskedNow, setRevealed, shownNow } from './masking.ts';

const KEY = `sk-ant-${'a1B2'.repeat(8)}`;

describe('masking', () => {
  afterEach(() => setRevealed(false));

  it('holds until it is revealed', () => {
    expect([shownNow(KEY), isMaskedNow(KEY)]).toEqual(['sk-a••••••••', true]);
    setRevealed(true);
    expect([shownNow(KEY), isMaskedNow(KEY)]).toEqual([KEY, false]);
  });

  it('masks before it cuts: half a secret has no shape', () => {
    for (let at = 1; at < KEY.length; at++) {
      const text = `${'x '.repeat(20)}${KEY} and the rest`;
      const head = shownHead(maskSecrets, text, 40 + at);
      expect(head).not.toContain('sk-an');
      expect(head.length).toBeLessThanOrEqual(40 + at);
    }
  });

  it('says that a long text is cut, and looks at no more of it than needed', () => {
    let looked = 0;
    const head = shownHead((text) => ((looked = text.length), text), 'y'.repeat(1_000_000), 100);
    expect(head).toBe(`${'y'.repeat(98)}…`);
    expect(looked).toBeLessThan(10_000);
  });
});
