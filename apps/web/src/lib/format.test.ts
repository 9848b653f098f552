import { describe, expect, it } from 'vitest';
import {
  centsFor,
  cutMiddle,
  filesRead,
  formatAge,
  formatCents,
  formatDuration,
  formatAgo,
  formatMoney,
  formatPercent,
  formatSize,
  formatTime,
  plural,
  previewJson,
  stepNumber,
  usedText,
} from './format.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

describe('formatAge', () => {
  it.each([
    [0, 'now'],
    [4, '4 s'],
    [59, '59 s'],
    [240, '4 min'],
    [3 * 3600, '3 h'],
    [50 * 3600, '2 d'],
    [800 * 86_400, '2 y'],
    [-3600, 'in the future'],
  ])('%i seconds', (seconds, words) => expect(formatAge(ago(seconds), now)).toBe(words));
  it('is an age in a sentence only where it is one', () => {
    expect([300, 0, -3600].map((seconds) => formatAgo(ago(seconds), now))).toEqual([
      '5 min ago',
      'now',
      'in the future',
    ]);
  });
  it('says nothing about a broken time', () => expect(formatAge('soon', now)).toBe(''));
});

it('writes a share as a percentage', () => {
  expect([0, 0.0004, 0.174, 1].map(formatPercent)).toEqual(['0%', 'under 1%', '17%', '100%']);
});

describe('formatMoney', () => {
  it.each([
    [0.045, '$0.045'],
    [2.67, '$2.67'],
    [1234.5, '$1,234.50'],
    [123_456.789, '$123,456.79'],
    [-1.2345, '-$1.23'],
    [0, '$0.00'],
    [0.000021, '$0.000021'],
  ])('%d', (usd, words) => expect(formatMoney(usd)).toBe(words));
});

describe('a column of amounts', () => {
  it('has as many places as its smallest needs', () => {
    expect([[2, 0.5], [0.056, 1], [0.0004], [0]].map(centsFor)).toEqual([2, 3, 4, 2]);
    expect(formatCents(0.5, 3)).toBe('$0.500');
    expect(formatCents(1234.5, 2)).toBe('$1,234.50');
  });
});

describe('usedText', () => {
  it('joins what is stored, and leaves out the rest', () => {
    expect(usedText({ durationMs: 1840, tokenUsage: 1410, costUsd: 0.63 })).toBe('1.84 s · 1,410 tokens · $0.63');
    expect(usedText({ costUsd: 0.63 })).toBe('$0.63');
    expect(usedText({})).toBeUndefined();
  });
});

describe('other formats', () => {
  it('keeps a broken time as it is', () => expect(formatTime('yesterday')).toBe('yesterday'));
  it('names the zone', () => expect(formatTime('2026-01-01T14:24:41.500+02:00')).toBe('2026-01-01 12:24:41 UTC'));
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [18_432, '18.4 kB'],
    [999_600, '1.0 MB'],
    [144_000_000, '144 MB'],
  ])('%i bytes', (bytes, words) => expect(formatSize(bytes)).toBe(words));
  it('durations', () =>
    expect([250, 1840, 65_000, 3_660_000].map(formatDuration)).toEqual(['250 ms', '1.84 s', '1 min 5 s', '1 h 1 min']));
  it('plurals', () =>
    expect([plural(1, 'task'), plural(2000, 'match', 'matches')]).toEqual(['1 task', '2,000 matches']));
  it('steps, else the place in save order', () =>
    expect([stepNumber({ stepIndex: 7, seq: 3 }), stepNumber({ seq: 123 })]).toEqual(['#07', '#123']));
});

describe('cutting', () => {
  it('ids in the middle, never longer than asked', () => {
    expect(cutMiddle('ckpt_07aa55a9c1', 11)).toBe('ckpt_0…a9c1');
    expect(cutMiddle('short')).toBe('short');
    expect(Array.from(cutMiddle('😀'.repeat(40), 9))).toHaveLength(9);
  });
  it('JSON text at the end, without splitting a character', () => {
    expect(previewJson('[1.0,2]', 20)).toBe('[1.0,2]');
    expect(previewJson('"aa😀bb"', 5)).toBe('"aa…');
  });
});

it('says how far a folder is read', () => {
  expect(filesRead({ n: 500, of: 50_000 })).toBe('500 of 50,000 files read so far, the newest first');
});
