import { describe, expect, it } from 'vitest';
import { clockMarks, gapsOf, type Timed } from './axis.ts';
import { scaleOf } from './geometry.ts';

const START = Date.parse('2026-01-01T14:20:00Z');
/** Saved so many seconds after the first. */
const saved = (...seconds: readonly number[]): Timed[] =>
  seconds.map((at) => ({ from: START + at * 1000, to: START + at * 1000 }));

const marksOf = (places: readonly Timed[], width = 900, named = new Set(places.keys())) => {
  const slots = places.map(() => ({ changes: 1, running: false, failed: 0 }));
  return clockMarks(places, gapsOf(places), scaleOf({ slots, lanes: 1 }, width, false), named);
};
const words = (places: readonly Timed[], width?: number): string[] =>
  marksOf(places, width)
    .toSorted((a, b) => a.x - b.x)
    .map(({ text, gap }) => (gap ? `(${text})` : text));

describe('the clock of the timeline', () => {
  it('tells when each step was saved, to the second where all is quick', () => {
    expect(words(saved(0, 60, 120, 180))).toEqual(['14:20:00', '14:21:00', '14:22:00', '14:23:00']);
    expect(words(saved(0, 3600, 7200))).toEqual(['14:20', '15:20', '16:20']);
  });

  it('names the day where it is another one than that of the end', () => {
    expect(words(saved(0, 3600, 90_000, 93_600, 97_200, 100_000))).toEqual([
      '01-01 14:20',
      '15:20',
      '(24 h)',
      '01-02 15:20',
      '16:20',
      '17:20',
      '18:06',
    ]);
  });

  it('marks pauses that are far longer than usual, and no others', () => {
    expect(gapsOf(saved(0, 10, 20, 30, 4000, 4010))).toEqual([{ after: 3, ms: 3_970_000 }]);
    expect(gapsOf(saved(0, 10, 20, 30, 60, 70))).toEqual([]);
    expect(gapsOf(saved(0, 3600, 7300, 10_900))).toEqual([]);
    expect(words(saved(0, 10, 20, 30, 4000, 4010))).toContain('(1 h)');
  });

  it('has no time where there is no number above it', () => {
    expect(marksOf(saved(0, 60, 120, 180), 900, new Set([1, 3])).map(({ text }) => text)).toEqual([
      '14:21:00',
      '14:23:00',
    ]);
  });

  it('has no two marks that touch, and says nothing where no time is known', () => {
    const places = saved(...Array.from({ length: 200 }, (_, at) => at * 7));
    const marks = marksOf(places).toSorted((a, b) => a.x - b.x);
    expect(marks.length).toBeGreaterThan(5);
    for (const [at, mark] of marks.slice(1).entries())
      expect(mark.x - (marks[at]?.x ?? 0)).toBeGreaterThan(mark.text.length * 6);
    expect(marksOf([{}, {}, {}])).toEqual([]);
  });
});
