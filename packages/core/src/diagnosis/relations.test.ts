/** What holds between the fields of nearly all entries. */
import { describe, expect, it } from 'vitest';
import { dayNumber } from './days.ts';
import { suspectsOf } from './diagnose.ts';
import { stepsOf, type State } from './testing/written.ts';

describe('a date as a number of days', () => {
  it.each([
    ['1970-01-02', 1],
    ['1970/1/2', 1],
    ['2026-03-01T09:00:00Z', 20_513],
    ['01.03.2026', 20_513],
    ['1 Mar 2026', 20_513],
    ['1st March 2026', 20_513],
    ['Mar 1, 2026', 20_513],
  ])('is that of %s', (text, days) => {
    expect(dayNumber(text)).toBe(days);
  });

  it.each(['30.02.2026', '2026-13-01', '03/04/2026', '1 Foo 2026', 'tomorrow', '20260301', '2026-03-011'])(
    'is none for %s',
    (text) => {
      expect(dayNumber(text)).toBeUndefined();
    },
  );
});

const FROM = ['2026-02-14', '2026-03-04', '2026-02-16', '2026-02-23', '2026-04-20', '2026-02-28', '2026-03-05'];

function dated(written: (date: Date, nth: number) => string, field: (value: string) => object): State[] {
  const days = (off: number) => (from: string, nth: number) => {
    const date = new Date(from);
    date.setUTCDate(date.getUTCDate() + (nth === 4 ? off : 28));
    return { no: `m-${nth + 1}`, lent: written(new Date(from), nth), ...field(written(date, nth)) };
  };
  const bare = FROM.map((from, nth) => ({ no: `m-${nth + 1}`, lent: written(new Date(from), nth) }));
  const rows = FROM.map(days(27));
  return [{ rows: [] }, { rows: bare }, { rows }, { rows, n: 1 }].map((state, step) => ({ step, ...state }));
}

const iso = (date: Date): string => date.toISOString().slice(0, 10);
const european = (date: Date): string => iso(date).split('-').toReversed().join('.');
const told = (states: readonly State[]): readonly [string | undefined, string] => {
  const [first] = suspectsOf(stepsOf(states), { error: 'the import was refused' });
  return [first?.path, first?.reasons.join(' ') ?? ''];
};

describe('dates that are as many days apart everywhere', () => {
  it.each([
    ['2026-03-01', iso],
    ['01.03.2026', european],
  ])('tell the one that is not: %s', (_spelling, written) => {
    const [path, reasons] = told(dated(written, (due) => ({ due })));
    expect(path).toBe('$.rows[4].due');
    expect(reasons).toContain('Everywhere else due is 28 days after lent, but not here.');
  });

  it('tell it in an object of the entry too', () => {
    const [path, reasons] = told(dated(iso, (due) => ({ dates: { due } })));
    expect(path).toBe('$.rows[4].dates.due');
    expect(reasons).toContain('Everywhere else dates.due is 28 days after lent, but not here.');
  });

  it('say nothing where they are any number apart', () => {
    const states = dated(
      (date, nth) => iso(new Date(date.getTime() + (nth % 3) * 86_400_000 * nth)),
      (due) => ({ due }),
    );
    const shuffled = states.map((state) => JSON.parse(JSON.stringify(state)) as State);
    for (const { rows } of shuffled as unknown as { rows: { due?: string }[] }[])
      for (const [nth, row] of rows.entries()) if (row.due !== undefined) row.due = FROM[(nth * 3 + 1) % 7] ?? '';
    expect(told(shuffled)[1]).not.toContain('days after');
  });
});
