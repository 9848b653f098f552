/** Where what was read comes from: look-ups, frames, tables in JSON, and whose it is. */
import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { linesOf } from './records.ts';
import { asked, at, claims, reasons, suspects, told, type Row } from './testing/told.ts';
import { stepsOf, type State } from './testing/written.ts';

it('reads what is looked up of the entries that are worked on, though it is gone in the next step', () => {
  const prices = [41.5, 39.25, 44.75, 40.5, 43.25, 38.75, 42.5, 37.75];
  const all = prices.map((price, nth) => ({ id: `T-${nth + 11}`, price }));
  const wrong = all.map((row) => (row.id === 'T-14' ? { ...row, price: 45.5 } : row));
  const states: State[] = [{ n: 0, rows: [], found: [] }];
  for (let to = 2; to <= 8; to += 2) states.push({ n: to, rows: wrong.slice(0, to), found: all.slice(to - 2, to) });
  states.push({ n: 9, rows: wrong, found: all.slice(6) });
  const [first] = suspects(states);
  expect(at(first)).toBe('3 added $.rows[3].price');
  expect(first?.reasons.join()).toContain('The step read "40.5" instead.');
});

it('reads frames whose payload is JSON in a text, and takes no converted figure for one that nobody told', () => {
  const areas = [38_600, 10_700, 29_200, 6400, 51_300, 21_800, 44_100];
  const plots: Row[] = areas.map((square, nth) => ({ id: `T-${nth + 11}`, square }));
  const states: State[] = [{ n: 0, frames: [], rows: [] }];
  for (let to = 1; to <= plots.length; to++) {
    const frames = plots.slice(Math.max(0, to - 3), to).map(({ id, square }) => ({
      topic: 'survey',
      payload: JSON.stringify({ plot: id, 'area m2': square }),
    }));
    const rows = plots.slice(0, to).map(({ id, square }) => ({
      id,
      hectares: id === 'T-14' ? 0.46 : Number(square) / 10_000,
    }));
    states.push({ n: to, frames, rows });
  }
  const found = suspects([...states, { ...states.at(-1), n: 9 }]);
  expect(at(found[0])).toBe('5 added $.rows[3].hectares');
  expect(reasons(found)).toContain('The step read "6400" instead.');
  expect(reasons(found)).not.toContain('Nothing the step read');
});

it('takes no field without a value in a new entry for the cause, though the error has its name', () => {
  const rows = [41.5, 39.25, 44.75, 140.5, 43.25, 38.75].map((weight, nth) => ({
    id: `T-${nth + 11}`,
    next_count: null,
    weight,
  }));
  const states = [
    { n: 0, rows: [] },
    { n: 1, rows },
    { n: 2, rows },
    { n: 3, rows },
  ];
  const [first] = suspectsOf(stepsOf(states), { error: 'the count sheet of T-14 was refused' });
  expect(first?.path).toBe('$.rows[3].weight');
});

describe('names with a bracket', () => {
  const say = ({ id, claimed, granted }: Row): string =>
    JSON.stringify({ id, 'granted (k)': granted, 'list figure': claimed });

  it('are names of what was read', () => {
    const [first] = suspects(
      told(claims, say, (row, nth) => (nth === 3 ? { id: row.id, refund: row['claimed'] } : asked(row))),
    );
    expect(at(first)).toBe('5 added $.rows[3].refund');
    expect(first?.reasons.join()).toContain('it took "granted k"');
  });
});

it('takes an entry for what it is called, and not for the code that another one has in it', () => {
  const codes = ['LGL-2019-72', 'LGL-2022-89', 'LGL-2023-49', 'LGL-2021-35', 'LGL-2024-18'];
  const clauses: Row[] = codes.map((code, nth) => ({
    id: `T-${nth + 11}`,
    topic: `topic ${'abcde'[nth] ?? ''}`,
    code,
  }));
  const swapped = (row: Row): Row => {
    const other = { 'T-12': codes[2], 'T-13': codes[1] }[row.id];
    return { ...row, code: other ?? row['code'] };
  };
  const found = suspects(told(clauses, (row) => JSON.stringify(row), swapped));
  expect(found.slice(0, 2).map(({ path }) => path)).toEqual(['$.rows[1].code', '$.rows[2].code']);
  expect(reasons(found)).not.toContain('topic');
});

it('reads a table in JSON by the names of its columns, its figures as they are written', () => {
  const say = ({ id, claimed, granted }: Row): string =>
    JSON.stringify({
      fields: ['case', 'list figure', 'agreed'],
      data: [
        [id, claimed, granted],
        ['T-99', 7, 8],
      ],
    });
  const wrong = (row: Row, nth: number): Row => (nth === 3 ? { id: row.id, refund: row['claimed'] } : asked(row));
  const found = suspects(told(claims, say, wrong));
  expect(at(found[0])).toBe('5 added $.rows[3].refund');
  expect(reasons(found)).toContain('it took "agreed"');
  const exact = '{"fields":["case","sum"],"data":[["T-11",12345678901234567890.10],["T-12",1.50]]}';
  expect(linesOf(exact, () => false)).toEqual(['case: T-11; sum: 12345678901234567890.10', 'case: T-12; sum: 1.50']);
  const broken = '{"fields":["case","sum"],"data":[["T-11",1],["T-1';
  expect(linesOf(broken, () => false)).toEqual([broken]);
});

it('reads an object of nothing but texts as one, though its keys could be names', () => {
  const values: Row[] = ['03/12/2026', '03/14/2026', '03/18/2026', '03/21/2026'].map((out, nth) => ({
    id: `T-${nth + 11}`,
    out,
    room: 'north',
  }));
  const say = ({ id, out }: Row): object => ({
    about: id,
    attribute: 'leaving',
    current: out,
    remark: 'from the list',
  });
  const late = (row: Row, nth: number): Row => (nth === 2 ? { ...row, out: '03/19/2026' } : row);
  const [first] = suspects(told(values, say, late));
  expect(at(first)).toBe('4 added $.rows[2].out');
  expect(first?.reasons.join()).toContain('The step read "03/18/2026" instead.');
});

const liters = (row: Row): Row => ({ id: row.id, liters: Number(row['ml']) / 1000 });
const measured: Row[] = [2834, 3998, 5103, 7020, 4461, 6959].map((ml, nth) => ({ id: `T-${nth + 11}`, ml }));

it('knows a figure that was converted also where it is corrected in the next step', () => {
  const states = told(measured, ({ id, ml }) => ({ id, water_ml: ml, liters_ml: ml }), liters);
  const corrected = states.map((state, at): typeof state => {
    const rows = state['rows'] as readonly Row[];
    return at < 3
      ? state
      : { ...state, rows: rows.map((row) => (row.id === 'T-12' ? { ...row, liters: 3.537 } : row)) };
  });
  expect(reasons(suspects(corrected))).not.toContain('3998');
});

it('does not ask where a value is from that both sources have', () => {
  const equal = claims.map((row, nth) => (nth === 3 ? { ...row, claimed: row['granted'] } : row));
  expect(reasons(suspects(told(equal, (row) => row, asked)))).not.toContain('The step took');
  const wrong = (row: Row, nth: number): Row => (nth === 3 ? { id: row.id, refund: row['claimed'] } : asked(row));
  expect(at(suspects(told(claims, (row) => row, wrong))[0])).toBe('5 added $.rows[3].refund');
});
