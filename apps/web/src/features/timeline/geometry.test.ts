import { describe, expect, it } from 'vitest';
import { labelsOf, scaleOf, ticksOf } from './geometry.ts';

const slots = (count: number) => Array.from({ length: count }, () => ({ changes: 1, running: false, failed: 0 }));

describe.each([
  [10, 900],
  [500, 900],
  [50_000, 900],
  [50_000, 320],
])('a line of %i checkpoints, %i px wide', (count, width) => {
  const places = Math.min(count, Math.floor(width / 4));
  const scale = scaleOf({ slots: slots(places), lanes: 1 }, width, false);
  const chars = String(count).length + 1;
  const labels = labelsOf(
    ticksOf(count, scale, chars).map((index) => ({
      index,
      slot: Math.floor((index * places) / count),
      strong: false,
    })),
    scale,
    chars,
  );

  it('uses its whole width', () => expect(scale.x(places - 1)).toBeGreaterThan(width * 0.9));

  it('has numbers from end to end, and none touches another', () => {
    const [first, last] = [labels[0], labels.at(-1)];
    expect(labels.length).toBeGreaterThan(2);
    expect(first?.x).toBeLessThan(width * 0.2);
    expect(last?.x).toBeGreaterThan(width * 0.7);
    const gaps = labels.slice(1).map((label, at) => label.x - (labels[at]?.x ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(chars * 6.4);
  });
});

/** The numbers below the line begin here, in px; a selected mark is so large. */
const [NUMBERS, MARK] = [61, 5.5];

it.each([1, 2, 3, 5])('keeps the marks of %i lanes clear of the numbers below', (lanes) => {
  const { laneY } = scaleOf({ slots: slots(10), lanes }, 900, false);
  expect(laneY(lanes - 1) + MARK).toBeLessThan(NUMBERS);
});
