import { describe, expect, it } from 'vitest';
import type { LineageRow } from '../model.ts';
import { lineageRow } from '../testing/builders.ts';
import { forkTree } from '../tree/fork-tree.ts';
import type { ForkTree } from '../tree/fork-tree.ts';
import { branchTo, divergence } from './branch.ts';

const main = forkTree('main', [
  lineageRow('main', 'b', 1, 'a'),
  lineageRow('main', 'c', 2, 'b'),
  lineageRow('main', 'd', 3, 'b'),
]);
const fork = forkTree('fork', [
  lineageRow('fork', 'x', 1, undefined, { parent: { task: 'main', id: 'c' }, kind: 'sidecar' }),
  lineageRow('fork', 'y', 2, 'x'),
]);
const treeOf = async (task: string): Promise<ForkTree | undefined> => ({ main, fork })[task];
const way = (task: string, id: string) => branchTo({ task, id }, treeOf);
const names = (steps: readonly { ref: { id: string }; row?: LineageRow }[]): string =>
  steps.map(({ ref, row }) => (row ? ref.id : `(${ref.id})`)).join(' ');

describe('branchTo', () => {
  it('goes from a root that is gone to the checkpoint, through the task it came from', async () => {
    expect(names(await way('main', 'd'))).toBe('(a) b d');
    expect(names(await way('fork', 'y'))).toBe('(a) b c x y');
    expect(names(await way('main', 'none'))).toBe('(none)');
    expect(names(await branchTo({ task: 'away', id: 'z' }, async () => undefined))).toBe('(z)');
  });

  it('ends where two tasks name each other as origin', async () => {
    const loops: Record<string, ForkTree> = {
      one: forkTree('one', [lineageRow('one', 'a', 1, undefined, { parent: { task: 'two', id: 'b' } })]),
      two: forkTree('two', [lineageRow('two', 'b', 1, undefined, { parent: { task: 'one', id: 'a' } })]),
    };
    expect(names(await branchTo({ task: 'one', id: 'a' }, async (task) => loops[task]))).toBe('b a');
  });
});

describe('divergence', () => {
  it('names the last shared step and the first of each side', async () => {
    const parted = divergence(await way('main', 'd'), await way('fork', 'y'));
    expect(parted.ancestor?.ref.id).toBe('b');
    expect([parted.shared, names(parted.onlyA), names(parted.onlyB)]).toEqual([2, 'd', 'c x y']);
    const above = divergence(await way('main', 'b'), await way('main', 'c'));
    expect([above.ancestor?.ref.id, names(above.onlyA), names(above.onlyB)]).toEqual(['b', '', 'c']);
  });

  it('shares nothing where there is no common root', async () => {
    const parted = divergence(await way('main', 'd'), [{ ref: { task: 'other', id: 'd' }, kind: 'none' }]);
    expect(parted).toMatchObject({ shared: 0, onlyB: [{ ref: { task: 'other' } }] });
    expect(parted.ancestor).toBeUndefined();
  });
});
