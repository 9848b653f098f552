import {
  InspectorError,
  MemoryStore,
  overlaid,
  type CheckpointRef,
  type CheckpointSource,
} from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { openHistory } from './lines.ts';

const COUNT = 120;
const valueOf = (n: number): string => String(Math.floor(n / 40));
const placeOf = ({ id }: CheckpointRef): number => Number(id.slice(1));

/** A store that reads values of many states together, unless one of them is damaged. */
async function storeWith(bytes: number, damaged?: number) {
  const store = new MemoryStore();
  for (let n = 0; n < COUNT; n++) await store.save({ task: 't', id: `c${n}`, text: `{"a":${valueOf(n)},"n":${n}}` });
  const asked: number[] = [];
  const one = (ref: CheckpointRef): { value: string; revision: string } => {
    if (placeOf(ref) === damaged) throw new InspectorError('unreadable', 'A part is damaged.');
    return { value: valueOf(placeOf(ref)), revision: `r${ref.id}` };
  };
  const source = overlaid<CheckpointSource>(store, {
    async *lineage(task) {
      for await (const row of store.lineage(task))
        yield { ...row, facts: { sizeBytes: bytes, revision: `r${row.id}` } };
    },
    values: async (refs) => {
      asked.push(refs.length);
      return refs.map(one);
    },
    part: async (ref) => {
      const { value, revision } = one(ref);
      return { text: value, revision };
    },
    state: async () => expect.fail('No state has to be read.'),
    checkpoints: async () => expect.fail('No list has to be read.'),
  });
  return { source, asked };
}

async function historyOf(source: CheckpointSource) {
  const rows = [];
  for await (const line of await openHistory(source, { task: 't', path: '$.a' }))
    if ('ref' in line) rows.push([line.kind, line.ref.id, ...(line.kind === 'gap' ? [line.gap?.count] : [])]);
  return rows;
}

const CHANGES = [
  ['changed', 'c80'],
  ['changed', 'c40'],
  ['set', 'c0'],
];

it('values are read many at a time, and none twice', async () => {
  const { source, asked } = await storeWith(10);
  expect(await historyOf(source)).toEqual(CHANGES);
  expect(asked).toEqual([50, 50, 20]);
});

it('of large states few are read at a time', async () => {
  const { source, asked } = await storeWith(300_000);
  expect(await historyOf(source)).toEqual(CHANGES);
  expect(asked).toEqual(Array.from({ length: COUNT / 3 }, () => 3));
});

it('one that is damaged is a gap, and no other one is', async () => {
  const { source } = await storeWith(10, 100);
  expect(await historyOf(source)).toEqual([['gap', 'c100', 1], ...CHANGES]);
});
