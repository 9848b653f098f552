import { describe, expect, it } from 'vitest';
import { conclude, suspectsOf } from './diagnose.ts';
import { Examination } from './examination.ts';
import type { DiagnosedStep } from './types.ts';

const branch = (states: readonly object[], names: readonly string[] = []): DiagnosedStep[] =>
  states.map((state, at) => ({
    ref: { task: 'run', id: String(at + 1) },
    seq: at + 1,
    status: at === states.length - 1 ? 'failed' : 'completed',
    description: names[at] ?? `step ${at + 1}`,
    text: JSON.stringify(state),
  }));

describe('suspects', () => {
  it('finds the figure that jumped out of the range of its siblings, not the ranking that follows from it', () => {
    const figures = { north: 51, south: 42, west: 37 };
    const wrong = { ...figures, south: 42_000 };
    const [first] = suspectsOf(
      branch([
        { step: 1, figures: {} },
        { step: 2, figures },
        { step: 3, figures, retries: 1 },
        { step: 4, figures: wrong, retries: 1 },
        { step: 5, figures: wrong, ranking: ['south', 'north', 'west'] },
        { step: 6, figures: wrong, ranking: ['south', 'north', 'west'], error: 'the ranking contradicts the summary' },
      ]),
      { error: 'the ranking contradicts the summary' },
    );
    expect(first).toMatchObject({ seq: 4, path: '$.figures.south', kind: 'changed', before: '42', after: '42000' });
    expect(first?.reasons[0]).toBe('1,000 times larger than before.');
  });

  it('has nothing to say of a run in which nothing is unlike the rest', () => {
    const items = (done: number) =>
      Array.from({ length: 6 }, (_, at) => ({ id: `a-${at}`, price: 10 + at, state: at < done ? 'done' : 'open' }));
    const states = Array.from({ length: 7 }, (_, done) => ({ step: done, items: items(done) }));
    expect(suspectsOf(branch(states)).filter(({ score }) => score > 0.3)).toEqual([]);
  });

  it('quotes no part of a secret', () => {
    const key = `sk-${'demo0123456789'.repeat(6)}`;
    const rows = (last: string) => ['a', 'b', 'c', 'd', last].map((token, at) => ({ id: `row-${at}`, token }));
    const found = suspectsOf(
      branch([{ rows: rows('e') }, { rows: rows('e') }, { rows: rows('e') }, { rows: rows(key) }]),
      {
        error: `bad token ${key}`,
      },
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.flatMap(({ reasons }) => reasons).join(' ')).not.toContain('demo01234');
  });

  it('gives a long value whole, though it looks at its beginning only', () => {
    const notes = (last: string | object) =>
      ['a', 'b', 'c', 'd'].map((id) => ({ id, note: id === 'd' ? last : 'short' }));
    const long = { text: 'word '.repeat(2_000) };
    const [first] = suspectsOf(branch([{ notes: notes('short') }, { notes: notes('short') }, { notes: notes(long) }]));
    expect(first).toMatchObject({ kind: 'type-changed', before: '"short"', after: JSON.stringify(long) });
  });

  it('takes a state that cannot be read as a gap', () => {
    const steps = branch([{ a: 1 }, { a: 1 }, { a: -1 }]);
    expect(() => suspectsOf(steps.map((step, at) => (at === 1 ? { ...step, text: '{' } : step)))).not.toThrow();
  });
});

describe('what the last state reports', () => {
  const failureOf = (statuses: readonly DiagnosedStep['status'][]) => {
    const examination = new Examination();
    const states = [
      { n: 1 },
      { n: 2, lastError: 'API timeout after 30 s' },
      { n: 3, lastError: 'API timeout after 30 s' },
    ];
    for (const [at, step] of branch(states).entries()) {
      examination.observe({ ...step, status: statuses[at] ?? 'completed' });
    }
    return conclude(examination, {}).failure?.message;
  };

  it('is not a failure if the run got over it', () => {
    expect(failureOf(['completed', 'failed', 'completed'])).toBeUndefined();
  });

  it('is one where no step says that it failed, or the last one does', () => {
    expect(failureOf(['completed', 'completed', 'completed'])).toBe('API timeout after 30 s');
    expect(failureOf(['completed', 'failed', 'failed'])).toBe('API timeout after 30 s');
  });
});
