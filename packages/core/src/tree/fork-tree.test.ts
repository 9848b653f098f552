import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LineageRow } from '../model.ts';
import { lineageRow } from '../testing/builders.ts';
import { ancestry, forkTree } from './index.ts';

const row = (id: string, seq: number, parent?: string, more?: Partial<LineageRow>) =>
  lineageRow('t', id, seq, parent, more);

describe('forkTree', () => {
  test('hangs children on parents in save order, whatever the order of the rows', () => {
    const tree = forkTree('t', [row('c', 3, 'a'), row('a', 1), row('b', 2, 'a')]);
    expect(tree.nodes.map((node) => node.ref.id)).toEqual(['a', 'b', 'c']);
    expect(tree.nodes[0]?.children).toEqual([1, 2]);
    expect(tree.roots).toEqual([0]);
    expect(tree.forkPoints).toEqual([0]);
  });

  test('shows one ghost for a parent that is gone', () => {
    const tree = forkTree('t', [row('b', 1, 'gone'), row('c', 2, 'gone')]);
    expect(tree.nodes[2]).toMatchObject({ ref: { task: 't', id: 'gone' }, ghost: 'missing', children: [0, 1] });
    expect(tree.roots).toEqual([2]);
    expect(tree.forkPoints).toEqual([2]);
  });

  test('names the other task of a parent that lives there, though its id is here too', () => {
    const tree = forkTree('t', [row('a', 1, undefined, { parent: { task: 'other', id: 'a' }, kind: 'sidecar' })]);
    expect(tree.nodes[0]).toMatchObject({ parent: 1, kind: 'sidecar' });
    expect(tree.nodes[1]).toMatchObject({ ref: { task: 'other', id: 'a' }, ghost: 'other-task' });
  });

  test('keeps namespaces apart', () => {
    const inner = { namespace: 'sub' };
    const rows = [
      row('a', 1),
      row('a', 2, undefined, inner),
      row('b', 3, undefined, { ...inner, parent: { task: 't', id: 'a', ...inner } }),
    ];
    const tree = forkTree('t', rows);
    expect(tree.nodes.map((node) => node.parent)).toEqual([undefined, undefined, 1]);
    expect(tree.nodes.every((node) => node.problem === undefined)).toBe(true);
  });

  test('marks a cycle and cuts it above its oldest node, keeping what hangs on it', () => {
    const tree = forkTree('t', [
      row('a', 1, 'c'),
      row('b', 2, 'a'),
      row('c', 3, 'b'),
      row('d', 4, 'c'),
      row('self', 5, 'self'),
    ]);
    expect(tree.nodes.map((node) => node.problem)).toEqual(['cycle', 'cycle', 'cycle', undefined, 'cycle']);
    expect(tree.roots).toEqual([0, 4]);
    expect(ancestry(tree, 3)).toEqual([0, 1, 2, 3]);
  });

  test('marks the later one of two equal refs; children hang on the first', () => {
    const tree = forkTree('t', [row('a', 1), row('b', 2, 'a'), row('b', 3, 'a'), row('c', 4, 'b')]);
    expect(tree.nodes.map((node) => node.problem)).toEqual([undefined, undefined, 'duplicate', undefined]);
    expect(tree.nodes[3]?.parent).toBe(1);
  });

  test('an empty task is an empty tree', () => {
    expect(forkTree('t', [])).toEqual({ nodes: [], roots: [], forkPoints: [] });
  });

  test('ids that are names of object members are ordinary', () => {
    const tree = forkTree('__proto__', [
      lineageRow('__proto__', '__proto__', 1),
      lineageRow('__proto__', 'constructor', 2, '__proto__'),
    ]);
    expect(tree.nodes.map((node) => node.parent)).toEqual([undefined, 0]);
  });

  test('every row is in the tree exactly once, below one root', () => {
    const anyRow = fc.record({
      id: fc.integer({ min: 0, max: 9 }),
      parent: fc.option(fc.integer({ min: 0, max: 12 })),
      seq: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 30 }), (drafts) => {
        const rows = drafts.map(({ id, parent, seq }) =>
          row(String(id), seq, parent === null ? undefined : String(parent)),
        );
        const tree = forkTree('t', rows);
        const shown = tree.nodes.flatMap((node) => node.row ?? []);
        expect(new Set(shown)).toEqual(new Set(rows));
        expect(shown).toHaveLength(rows.length);
        const reached = tree.roots.flatMap((root) => below(tree.nodes, root)).sort((a, b) => a - b);
        expect(reached).toEqual(tree.nodes.map((node) => node.index));
      }),
    );
  });
});

describe('ancestry', () => {
  const tree = forkTree('t', [row('a', 1), row('b', 2, 'a'), row('c', 3, 'b'), row('d', 4, 'b'), row('x', 5)]);

  test('is the way from the root', () => {
    expect(ancestry(tree, 3)).toEqual([0, 1, 3]);
    expect(ancestry(tree, 99)).toEqual([]);
  });

  test('a chain of 100,000 needs no stack', () => {
    const rows = Array.from({ length: 100_000 }, (_, at) => row(`n${at}`, at + 1, at === 0 ? undefined : `n${at - 1}`));
    expect(ancestry(forkTree('t', rows), 99_999)).toHaveLength(100_000);
  });
});

function below(nodes: readonly { readonly children: readonly number[] }[], root: number): number[] {
  const found = [root];
  for (const at of found) found.push(...(nodes[at]?.children ?? []));
  return found;
}
