/** Names that were mistyped or given twice. */
import { expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { stepsOf, type State } from './testing/written.ts';

const WORDS = ['maple', 'birch', 'alder', 'elm', 'oak', 'pine', 'cedar', 'rowan'];

it('is one suspect where a field has nearly the name of the one that is missing, and no second one for that', () => {
  const pages = WORDS.map((name, nth) => ({ url: `/${name}`, status: nth === 4 ? undefined : 'seen', size: 40 + nth }));
  const found = pages.map((page) => (page.status === undefined ? { ...page, status_: 'seen' } : page));
  const worked = found.map((page) => ({ ...page, size: page.size + 1 }));
  const states: State[] = [{ pages: [] }, { pages: found }, { pages: worked }, { pages: worked, done: true }];
  const suspects = suspectsOf(stepsOf(states), { error: 'the index has a gap' });
  expect(`${suspects[0]?.seq} ${suspects[0]?.path}`).toBe('2 $.pages[4].status_');
  expect(suspects.map(({ path }) => path)).not.toContain('$.pages[4].status');
});

it('is a name that another entry has, however different the names look', () => {
  const names = ['t00-0', 't01-63z', 't02-c7y', 't03-ibx', 't4', 't12-21bo'];
  const trials = names.map((uid, nth) => ({ uid, note: WORDS[nth] }));
  const more = [...trials, { uid: 't03-ibx', note: 'rowan' }];
  const states: State[] = [
    { trials },
    { trials: more },
    { trials: more, best: 't4' },
    { trials: more, best: 't4', n: 7 },
  ];
  const [suspect] = suspectsOf(stepsOf(states), { error: 'cannot go on' });
  expect(`${suspect?.seq} ${suspect?.path}`).toBe('2 $.trials[6].uid');
  expect(suspect?.reasons[0]).toContain('appears twice');
});
