import fc from 'fast-check';
import { ChangeRoles } from '../diff/roles.ts';
import { describe, expect, test } from 'vitest';
import { diffJson } from '../diff/diff.ts';
import { lineageRow } from '../testing/builders.ts';
import {
  forkTree,
  laneCount,
  laneDifferences,
  lanePairs,
  lanesOf,
  laneTitle,
  layoutLanes,
  nameLengths,
} from './index.ts';

const treeOf = (parents: readonly number[]) =>
  forkTree(
    't',
    parents.map((parent, at) => lineageRow('t', `n${at}`, at + 1, parent < 0 ? undefined : `n${parent}`)),
  );

describe('lanesOf', () => {
  test('main continues with what was saved first; the others are counted by their beginning', () => {
    const { lanes, laneOf } = lanesOf(treeOf([-1, 0, 1, 0, 3, 1]));
    expect(lanes.map(({ label, parent, fork, nodes }) => [label, parent, fork, nodes])).toEqual([
      ['main', undefined, undefined, [0, 1, 2]],
      ['f1', 0, 0, [3, 4]],
      ['f2', 0, 1, [5]],
    ]);
    expect([...laneOf]).toEqual([0, 0, 0, 1, 1, 2]);
    expect(lanes.map((lane) => lane.depth)).toEqual([0, 1, 2]);
  });

  test('agree with the drawing and with the count, whatever the tree', () => {
    const parents = fc
      .array(fc.nat(), { minLength: 1, maxLength: 60 })
      .map((numbers) => numbers.map((n, at) => (at === 0 || n % 9 === 0 ? -1 : n % at)));
    fc.assert(
      fc.property(parents, (list) => {
        const tree = treeOf(list);
        const { lanes, laneOf } = lanesOf(tree);
        expect(lanes.length).toBe(laneCount(tree));
        expect(lanes.flatMap((lane) => lane.nodes).sort((a, b) => a - b)).toEqual(list.map((_, at) => at));
        const { lane } = layoutLanes(tree);
        for (const { index, parent } of tree.nodes) {
          if (parent === undefined) continue;
          expect(laneOf[parent] === laneOf[index]).toBe(lane[parent] === lane[index]);
        }
      }),
    );
  });

  test('a lane is compared with the same steps of the lane it forks from, then with the fork point', () => {
    const tree = treeOf([-1, 0, 1, 0, 3]);
    const { lanes } = lanesOf(tree);
    const fork = lanes[1];
    expect(fork && lanePairs(tree, lanes, fork)).toEqual([
      [1, 3],
      [2, 4],
      [0, 3],
    ]);
    expect(lanes[0] && lanePairs(tree, lanes, lanes[0])).toEqual([]);
  });
});

describe('names of lanes', () => {
  const main = '{"step":5,"prompt":{"variant":"concise"},"seed":3}';
  const differ = (text: string) => laneDifferences(diffJson(main, text));

  test('are made of the first telling difference', () => {
    const [first] = differ('{"step":5,"prompt":{"variant":"two-pass"},"seed":3}');
    expect(first).toEqual({ path: '$.prompt.variant', key: 'variant', value: 'two-pass', before: 'concise' });
  });

  test('take the second where siblings read alike', () => {
    const { lanes } = lanesOf(treeOf([-1, 0, 0, 0, 0]));
    const differences = new Map([
      [1, differ('{"step":5,"prompt":{"variant":"two-pass"},"seed":90}')],
      [2, differ('{"step":5,"prompt":{"variant":"two-pass"},"seed":70}')],
      [3, differ('{"step":5,"prompt":{"variant":"table"},"seed":90}')],
    ]);
    const lengths = nameLengths(lanes, differences);
    const titles = [1, 2, 3].map((at) =>
      laneTitle({ lane: `f${at}`, steps: 1, differences: differences.get(at) ?? [], nameLength: lengths.get(at) ?? 0 }),
    );
    expect(new Set(titles).size).toBe(3);
    expect(titles.every((title) => title.includes(': '))).toBe(true);
  });

  test('are made of a message only where nothing else differs', () => {
    const said = (content: string, seed: number): string =>
      JSON.stringify({
        messages: [
          { role: 'user', content: 'Hello' },
          { role: 'user', content },
        ],
        seed,
      });
    const roles = new ChangeRoles();
    roles.observeState(said('question 2', 3));
    const differ = (content: string, seed: number) =>
      laneDifferences(diffJson(said('question 2', 3), said(content, seed)), roles).map(({ key, value }) => [
        key,
        value,
      ]);
    expect(differ('another question', 3)).toEqual([['content', 'another question']]);
    expect(differ('another question', 90)).toEqual([['seed', '90']]);
  });

  test('are not made of encoded bytes, but of long paths', () => {
    const bytes = Buffer.from('a pickled object of some length, with 1, 2 and 3').toString('base64');
    const path = '/home/dev1/work/Notes/src/components/tables/rows/cells';
    const differ = (file: string) => laneDifferences(diffJson('{"file":"a"}', JSON.stringify({ file })));
    expect(differ(bytes)).toEqual([]);
    expect(differ(path).map(({ value }) => value)).toEqual([path]);
  });

  test('say where a lane begins that differs in nothing', () => {
    const lane = { lane: 'f1', steps: 3, differences: [], nameLength: 0 };
    expect(laneTitle(lane, '#42')).toBe('from #42, 3 steps');
    expect(laneTitle({ ...lane, lane: 'main' })).toBe('main');
  });

  test('are made of nothing that moves in every step, and of nothing encoded', () => {
    const state = (step: number, own: object) =>
      JSON.stringify({ line: `log ${step}`, window: `${10 + step}:${30 - step}`, quota: (step * 37) % 100, ...own });
    const roles = new ChangeRoles();
    for (let step = 1; step < 9; step++) roles.observe(diffJson(state(step - 1, {}), state(step, {})).items);
    const pickled = 'gAWVJQAAAAAAAACMCF9fbWFpbl9flIwHQ291bnRlcpSTlCmBlH2UjAFulEsMc2Iu';
    const own = { counter: [{ __pickled__: pickled }], blob: pickled, style: 'two-pass' };
    const names = (diff: ReturnType<typeof diffJson>) => laneDifferences(diff, roles).map(({ key }) => key);
    expect(names(diffJson(state(8, { style: 'concise' }), state(4, own)))).toEqual(['style']);
    expect(names(diffJson(state(8, {}), state(4, {})))).toEqual([]);
  });

  test('have no secret and no long text', () => {
    const secret = `sk-ant-${'a1B2'.repeat(8)}`;
    const [first] = laneDifferences(
      diffJson('{"a":""}', JSON.stringify({ a: `${'x'.repeat(50)} ${secret} ${'y'.repeat(900)}` })),
    );
    expect(first?.value).not.toContain(secret.slice(0, 14));
    expect(first?.value?.length).toBeLessThan(80);
  });
});
