import { equalJson, parseJson } from '@checkpoint-inspector/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindOf, layoutJson, numberNote } from './json.ts';

describe('layoutJson', () => {
  it('breaks lines and keeps every token', () => {
    const text = '{"big":12345678901234567890.10,"e":1E5,"neg":-0,"dup":1,"dup":2,"s":"\\u00e4"}';
    const laid = layoutJson(text, 20);
    expect(laid.split('\n').length).toBeGreaterThan(5);
    for (const token of ['12345678901234567890.10', '1E5', '-0', '"\\u00e4"']) expect(laid).toContain(token);
    expect(laid.replaceAll(/\s/g, '')).toBe(text);
  });
  it('never changes a value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => equalJson(text, layoutJson(text, 10))),
      { numRuns: 200 },
    );
  });
  it('leaves broken text as it is', () => expect(layoutJson(`[1,${' '.repeat(90)}`)).toBe(`[1,${' '.repeat(90)}`));
  it('does not fail on deep nesting', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    expect(layoutJson(deep).replaceAll(/\s/g, '')).toBe(deep);
  });
});

describe('kindOf', () => {
  it('agrees with the parser', () => {
    fc.assert(fc.property(fc.json(), (text) => kindOf(text) === parseJson(text).kind));
    expect(kindOf('NaN')).toBe('number');
  });
});

describe('numberNote', () => {
  it.each([
    ['4.2', '4200', '1,000 times larger.'],
    ['4200', '4.2', '1,000 times smaller.'],
    ['1', '-1', 'The sign changed.'],
    ['1.0', '1', 'Same value, written differently.'],
    ['4.2', '4201', undefined],
    ['0', '5', undefined],
    ['1', 'NaN', undefined],
    ['9007199254740993', '9007199254740992', undefined],
    ['10', '1E1', 'Same value, written differently.'],
    ['1', '10.00000000000000001', undefined],
    ['0', '-0.0', 'Same value, written differently.'],
    ['12e-1', '1200', '1,000 times larger.'],
  ])('%s to %s', (before, after, note) => expect(numberNote(before, after)).toBe(note));
});
