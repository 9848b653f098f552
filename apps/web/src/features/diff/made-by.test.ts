import { expect, it } from 'vitest';
import { madeBySteps } from './MadeBy.tsx';

it('names the last step of each row, and all of them; none where it is unknown', () => {
  const step = (id: string, seq: number) => ({ ref: { task: 'run', id }, seq, description: `step ${id}` });
  const made = madeBySteps({
    onLine: true,
    of: 2,
    complete: true,
    steps: [step('b', 7), step('c', 8)],
    items: [
      { path: '$.n', kind: 'changed', at: [1, 0], count: 2 },
      { path: '$.n', kind: 'removed', at: [0], count: 1 },
      { path: '$.gap', kind: 'added', at: [], count: 0 },
    ],
  });
  expect(made.get('changed $.n')).toMatchObject({ last: { ref: { id: 'c' } }, numbers: ['#08', '#07'], count: 2 });
  expect(made.get('removed $.n')?.last.ref.id).toBe('b');
  expect(made.get('added $.gap')).toBeUndefined();
});
