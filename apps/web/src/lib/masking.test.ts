// @vitest-environment jsdom
import { maskSecrets } from '@checkpoint-inspector/core';
import { act, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { shownHead } from './format.ts';
import { changeSettings } from './settings.ts';
import { isMaskedNow, noteStores, setAsStored, setRevealed, shownNow, useShownJson } from './masking.ts';

const KEY = `sk-ant-${'a1B2'.repeat(8)}`;

describe('masking', () => {
  afterEach(() => {
    setRevealed(false);
    noteStores(undefined);
  });

  it('begins masked until the stores are known, and while one is private, whatever the settings say', () => {
    setRevealed(undefined);
    changeSettings({ masked: false });
    const begins = (stores: Parameters<typeof noteStores>[0]): boolean => {
      noteStores(stores);
      return isMaskedNow(KEY);
    };
    expect([begins(undefined), begins([{}]), begins([{}, { private: true }])]).toEqual([true, false, true]);
    setRevealed(true);
    expect(isMaskedNow(KEY)).toBe(false);
    changeSettings({ masked: true });
  });

  it('holds until it is revealed', () => {
    expect([shownNow(KEY), isMaskedNow(KEY)]).toEqual(['sk-a••••', true]);
    setRevealed(true);
    expect([shownNow(KEY), isMaskedNow(KEY)]).toEqual([KEY, false]);
  });

  it('reads the escapes of JSON, and masks what they spell', () => {
    const spelled = `"${Array.from(KEY, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')}"`;
    const { result } = renderHook(() => useShownJson());
    expect(result.current(String.raw`"\u0430\u0433\u0435\u202e"`)).toBe(String.raw`"аге\u202e"`);
    expect(result.current(spelled)).toBe('"sk-a••••"');
    act(() => setAsStored(true));
    expect(result.current(String.raw`"\u0430"`)).toBe(String.raw`"\u0430"`);
    expect(result.current(spelled)).toBe(String.raw`"\u0073\u006b\u002d\u0061••••"`);
    expect(isMaskedNow(spelled)).toBe(true);
    act(() => setRevealed(true));
    expect(result.current(spelled)).toBe(spelled);
    act(() => setAsStored(false));
    expect(result.current(spelled)).toBe(`"${KEY}"`);
  });

  it('shows what a screen would hide or reorder', () => {
    expect(shownNow('a\u202eb')).toBe(String.raw`a\u202eb`);
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
