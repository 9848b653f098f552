import { expect, it } from 'vitest';
import { isHit } from './hits.ts';
import { plantedCase } from './planted.ts';
import { changesOf, RANKINGS } from './rankings.ts';

/** How many runs of each set. */
const RUNS = 30;

it.each(['tune', 'held-out'] as const)('leaves %s runs hard for simple rankings, and not hopeless', (set) => {
  const hits = new Map(Object.keys(RANKINGS).map((name) => [name, 0]));
  let random = 0;
  for (let seed = 0; seed < RUNS; seed++) {
    const planted = plantedCase(seed, set);
    const changes = changesOf(planted);
    random += changes.filter((change) => isHit(change, planted)).length / changes.length;
    for (const [name, ranking] of Object.entries(RANKINGS)) {
      const blamed = ranking(changes, planted);
      if (blamed && isHit(blamed, planted)) hits.set(name, (hits.get(name) ?? 0) + 1);
    }
  }
  const share = new Map([
    ['random', random / RUNS],
    ...[...hits].map(([name, count]) => [name, count / RUNS] as const),
  ]);
  const shown = [...share].map(([name, part]) => `${name} ${(100 * part).toFixed(1)} %`);
  console.log(`${set}, seeds 0 to ${RUNS - 1}, first answer right: ${shown.join(', ')}`);
  expect(share.get('random')).toBeLessThan(0.02);
  for (const name of ['last change', 'busiest checkpoint', 'rarest path']) expect(share.get(name)).toBeLessThan(0.15);
  expect(share.get('largest jump')).toBeLessThan(0.25);
  expect(share.get('words of the error')).toBeGreaterThan(0.05);
  expect(share.get('words of the error')).toBeLessThan(0.45);
});
