import { expect, it } from 'vitest';
import { byteRange, rangeFor } from './http.ts';

it('reads one range of bytes', () => {
  expect(byteRange('bytes=0-99', 1_000)).toEqual({ from: 0, to: 100 });
  expect(byteRange('bytes=900-', 1_000)).toEqual({ from: 900, to: 1_000 });
  expect(byteRange('bytes=0-5000', 1_000)).toEqual({ from: 0, to: 1_000 });
  expect(byteRange('bytes=-10', 1_000)).toEqual({ from: 990, to: 1_000 });
});

it('takes every other header for the whole', () => {
  expect(byteRange('bytes=0-9', 0)).toBeUndefined();
  for (const header of [undefined, '', 'bytes=-', 'bytes=0-1,5-6', 'rows=0-1'])
    expect(byteRange(header, 9)).toBeUndefined();
});

it('takes no range of another version', () => {
  const asked = (ifRange?: string) => rangeFor((name) => ({ range: 'bytes=0-9', 'if-range': ifRange })[name], 'abc');
  for (const ifRange of [undefined, '"abc"']) expect(asked(ifRange)).toBe('bytes=0-9');
  for (const ifRange of ['"old"', 'W/"abc"', 'Fri, 27 Nov 2026 07:00:00 GMT', ''])
    expect(asked(ifRange)).toBeUndefined();
});

it('refuses what is outside', () => {
  for (const header of ['bytes=9-', 'bytes=5-4', 'bytes=-0'])
    expect(() => byteRange(header, 9)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
});
