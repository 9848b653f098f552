import { forkTree, lanesOf } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { rows, type Sketch } from '../testing/rows.ts';
import { nextLanes } from './next-lanes.ts';

/** A lane of 400 steps; from each of them so many fork. */
function lanesFrom(forks: number) {
  const sketch: Sketch[] = [['m0']];
  for (let step = 1; step <= 400; step++) {
    sketch.push([`m${step}`, `m${step - 1}`]);
    for (let at = 0; at < forks; at++) sketch.push([`f${step} ${at}`, `m${step - 1}`]);
  }
  return lanesOf(forkTree('t', rows(...sketch))).lanes;
}

const ordinals = (lanes: readonly { readonly ordinal: number }[]): number[] => lanes.map(({ ordinal }) => ordinal);

it('compares what is on the screen first, the latest of it before all else, and nothing twice', () => {
  const lanes = lanesFrom(1);
  expect(ordinals(nextLanes(lanes, lanes.length, [300, 7, 20]))).toEqual([300, 7, 20]);
  const open = lanes.filter(({ ordinal }) => ordinal !== 7);
  expect(ordinals(nextLanes(open, lanes.length, [300, 7, 20]))).toEqual([300, 20]);
});

it('takes lanes from one checkpoint together, as their names depend on each other', () => {
  const lanes = lanesFrom(3);
  expect(ordinals(nextLanes(lanes, lanes.length, [5]))).toEqual([4, 5, 6]);
});

it('continues with the others, some at a time, and of a very large tree leaves them until they are looked at', () => {
  const lanes = lanesFrom(1);
  expect(ordinals(nextLanes(lanes, lanes.length, []))).toEqual(Array.from({ length: 256 }, (_, at) => at));
  expect(nextLanes(lanes.slice(256), lanes.length, [])).toHaveLength(lanes.length - 256);
  expect(nextLanes([], lanes.length, [3])).toEqual([]);
  const many = lanesFrom(6);
  expect(nextLanes(many.slice(2_000), many.length, [])).toEqual([]);
  expect(nextLanes(many.slice(2_000), many.length, [2_100])).not.toEqual([]);
});
