import { diffJson } from '../diff/diff.ts';
import { ChangeRoles } from '../diff/roles.ts';
import { parsePath } from '../json/path.ts';
import { LastWriters, RunWrites, ValueTrace, wayBack, type StepChanges } from './changes.ts';
import { describe, expect, it } from 'vitest';

/** The changes of a run, its end first. */
function changes(states: readonly object[]): StepChanges[] {
  const texts = states.map((state) => JSON.stringify(state));
  return texts
    .slice(1)
    .map((after, nth) => {
      const before = texts[nth] ?? '';
      return { at: nth + 1, items: diffJson(before, after).items, before, after };
    })
    .reverse();
}

function writesOf(states: readonly object[]) {
  const roles = new ChangeRoles();
  roles.observeState(JSON.stringify(states.at(-1)));
  const writes = new RunWrites(roles);
  for (const step of changes(states)) {
    roles.observe(step.items);
    writes.add(step);
  }
  return writes.writes().map(({ at, item, more }) => [at, item.path, item.before, item.after, more]);
}

const talk = (count: number) =>
  Array.from({ length: count }, (_none, nth) => ({
    role: nth % 2 === 0 ? 'user' : 'assistant',
    content: `words ${nth}`,
  }));

describe('RunWrites', () => {
  it('tells the data of each step, newest first, without messages, counters, clocks and statuses', () => {
    const states = Array.from({ length: 12 }, (_none, nth) => ({
      step: nth,
      at: new Date(1.7e12 + nth * 60_000).toISOString(),
      status: `running: tool ${nth % 3}`,
      messages: talk(nth + 1),
      price: nth < 7 ? 122 : 350,
      ...(nth < 9 ? {} : { total: 700, sum: 1 }),
    }));
    expect(writesOf(states)).toEqual([
      [9, '$.total', undefined, '700', 1],
      [7, '$.price', '122', '350', 0],
    ]);
  });

  it('tells a value that moves in every step where the run wrote nothing else', () => {
    const states = Array.from({ length: 8 }, (_none, nth) => ({ step: nth, best: (nth * 37) % 11 }));
    expect(writesOf(states)[0]?.slice(0, 2)).toEqual([7, '$.best']);
  });

  it('finds one write among thousands of routine steps', () => {
    const states = Array.from({ length: 1_500 }, (_none, nth) => ({
      note: `note ${(nth * 7_919) % 1_000}`,
      fee: nth < 500 ? 3 : 9,
    }));
    expect(writesOf(states)).toEqual([[500, '$.fee', '3', '9', 0]]);
  });

  it('does not take the report of the failure for a write', () => {
    const states = [{ fee: 3 }, { fee: 9 }, { fee: 9, error: 'TypeError: no fee', status: 'failed' }];
    expect(writesOf(states)).toEqual([[1, '$.fee', '3', '9', 0]]);
  });
});

describe('LastWriters', () => {
  const writer = (states: readonly object[], path: string) => {
    const writers = new LastWriters([parsePath(path)]);
    for (const step of changes(states)) writers.add(step, wayBack(step.items));
    return writers.of(path);
  };
  const row = (id: string, fee: number) => ({ id, fee });

  it('follows an element of a list to the step that wrote it, wherever it stood then', () => {
    const states = [
      { rows: [row('a', 1), row('b', 2)] },
      { rows: [row('a', 1), row('b', 9)] },
      { rows: [row('new', 5), row('a', 1), row('b', 9)] },
      { rows: [row('b', 9), row('new', 5), row('a', 1)] },
    ];
    expect(writer(states, '$.rows[0].fee')).toEqual({ at: 1, before: '2', after: '9' });
  });

  it('tells a value that came with its holder, one that was removed, and one that nobody wrote', () => {
    const states = [
      { a: 1, gone: 2 },
      { a: 1, gone: 2, order: { fee: 3 } },
      { a: 1, order: { fee: 3 } },
    ];
    expect(writer(states, '$.order.fee')).toEqual({ at: 1, after: '3' });
    expect(writer(states, '$.gone')).toEqual({ at: 2, before: '2' });
    expect(writer(states, '$.a')).toBeUndefined();
  });
});

it('a trace goes on past the last change', () => {
  const trace = new ValueTrace(['fee']);
  const found = changes([{ fee: 1 }, { fee: 2 }, { fee: 2 }, { fee: 3 }]).map((step) =>
    trace.add(step, wayBack(step.items)),
  );
  expect(found).toEqual([{ at: 3, before: '2', after: '3' }, undefined, { at: 1, before: '1', after: '2' }]);
});
