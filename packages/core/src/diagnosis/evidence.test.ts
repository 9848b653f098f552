/** Where a state tells why it is as it is: a page in a field, notes, a log of amounts, lines about parts. */
import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { stepsOf, type State } from './testing/written.ts';
import type { Suspect } from './types.ts';

const ERROR = { error: 'the import was refused' };
/** With nothing else beside it, still less than what `diagnose` of the inspector gives as an answer. */
const CONFIDENT = 0.4;
const NAMES = ['ash', 'birch', 'cedar', 'elm', 'fir', 'hazel'];

const at = (suspects: readonly Suspect[]): string[] => suspects.map(({ seq, path }) => `${seq} ${path}`);
const confident = (suspects: readonly Suspect[]): string[] => at(suspects.filter(({ score }) => score >= CONFIDENT));

const FROM = ['sawn in Norway', 'dried twice', 'from a forest nearby', 'two metres long'];

describe('a text in a field that gives way to the next one', () => {
  const page = (name: string, price: number): object => ({
    url: `/wood/${name}`,
    body: `<h1>Planks of ${name}</h1><b>${price.toFixed(2)}</b><i>${FROM[name.length % FROM.length]}</i>`,
  });
  const price = (nth: number): number => 31.5 + nth * 7.25;
  const states = (wrong: number): State[] => {
    const rows = NAMES.map((name, nth) => ({ name, price: nth === wrong ? 44.4 : price(nth) }));
    const read = NAMES.map((name, nth): State => ({ page: page(name, price(nth)), rows: rows.slice(0, nth + 1) }));
    return [{ page: null, rows: [] }, ...read, { page: null, rows }];
  };

  it('is what was read, and tells which value is not what it says', () => {
    expect(at(suspectsOf(stepsOf(states(3)), ERROR))[0]).toBe('5 $.rows[3].price');
  });

  it('is never a suspect itself', () => {
    expect(confident(suspectsOf(stepsOf(states(-1)), ERROR))).toEqual([]);
  });
});

it('reads notes that are gone on with, the new part of them at each step', () => {
  const fees = { ash: 120, birch: 135, cedar: 128, elm: 141, fir: 133, hazel: 126 };
  const changes = { birch: 150, elm: 160, hazel: 117 };
  let [notes, now]: [string, Record<string, number>] = ['All fees are those of last year.', { ...fees }];
  const states: State[] = [{ notes, fees: now }];
  for (const [name, fee] of Object.entries(changes)) {
    notes += `\nThe board sets the fee of ${name} to ${fee}.`;
    now = { ...now, [name]: fee };
    states.push({ notes, fees: now });
  }
  const silent = [...states, { notes, fees: { ...now, cedar: 182 } }, { notes, fees: { ...now, cedar: 182 }, done: 1 }];
  expect(at(suspectsOf(stepsOf(silent), ERROR))[0]).toBe('5 $.fees.cedar');
  expect(confident(suspectsOf(stepsOf([...states, { notes, fees: now, done: 1 }]), ERROR))).toEqual([]);
});

describe('two entries that exchanged a value', () => {
  const rows = NAMES.map((id, nth) => ({ id, due: `2026-03-${11 + nth}`, open: true }));
  const swapped = rows.map((row, nth) => ({ ...row, due: rows[nth === 1 ? 4 : nth === 4 ? 1 : nth]?.due }));

  it('are suspects, each with the name of the other', () => {
    const found = suspectsOf(
      stepsOf([{ rows }, { rows, n: 1 }, { rows: swapped, n: 2 }, { rows: swapped, n: 3 }]),
      ERROR,
    );
    expect(at(found).slice(0, 2).toSorted()).toEqual(['3 $.rows[1].due', '3 $.rows[4].due']);
    expect(found.flatMap(({ reasons }) => reasons)).toContain('It exchanged its value with "fir".');
  });

  it('are not those of a list that was put into another order', () => {
    const turned = rows.map((row, nth) => ({ ...row, due: rows[rows.length - 1 - nth]?.due }));
    const found = suspectsOf(
      stepsOf([{ rows }, { rows, n: 1 }, { rows: turned, n: 2 }, { rows: turned, n: 3 }]),
      ERROR,
    );
    expect(found.flatMap(({ reasons }) => reasons).join()).not.toContain('exchanged');
  });
});

describe('amounts', () => {
  const TAKEN = [3, 7, 4, 9, 6, 5, 8];
  /** What is taken is logged; at one step another amount goes, or none. */
  function states(wrong: number, taken: number): State[] {
    const stock: Record<string, number> = Object.fromEntries(NAMES.map((name, nth) => [name, 140 + nth * 11]));
    const log: string[] = ['The count of this morning is in.', 'Orders are taken in the order of their arrival.'];
    const made: State[] = [{ stock: { ...stock }, log: [...log] }];
    for (const [nth, amount] of TAKEN.entries()) {
      const name = NAMES[nth % NAMES.length] ?? '';
      log.push(`Took ${amount} planks of ${name} from the shelf.`);
      stock[name] = (stock[name] ?? 0) - (nth === wrong ? taken : amount);
      made.push({ stock: { ...stock }, log: [...log] });
    }
    return [...made, { stock: { ...stock }, log: [...log], counted: true }];
  }

  it('that were read and are not those by which a number changed', () => {
    const [first] = suspectsOf(stepsOf(states(4, 16)), ERROR);
    expect(first).toMatchObject({ seq: 6, path: '$.stock.fir' });
    expect(first?.reasons.join()).toContain('the amount by which it changed');
  });

  it('that were read and changed nothing', () => {
    const found = suspectsOf(stepsOf(states(6, 0)), ERROR);
    expect(found[0]).toMatchObject({ seq: 8, path: '$.stock.ash', kind: 'unchanged' });
  });

  it('that all were taken as read blame nothing', () => {
    expect(confident(suspectsOf(stepsOf(states(-1, 0)), ERROR))).toEqual([]);
  });
});

describe('lines about several entries', () => {
  const AMOUNTS = [412.5, 873.2, 655.9, 291.4, 730.6, 548.1];
  const parts = NAMES.map((_name, nth) => `BX-${377 + nth * 31}`);
  const states = (wrong: number): State[] => {
    const lines = parts.map((part, nth) => `${part} | planks | ${AMOUNTS[nth]} EUR | in stock`);
    const rows = parts.map((part, nth) => ({ line: nth + 1, part, amount: AMOUNTS[nth === wrong ? nth + 1 : nth] }));
    const inbox = (to: number): object => ({ file: `offer ${to}.txt`, text: lines.slice(to - 2, to).join('\n') });
    return [
      { inbox: null, rows: [] },
      ...[2, 4, 6].map((to): State => ({ inbox: inbox(to), rows: rows.slice(0, to) })),
      { inbox: null, rows },
    ];
  };

  it('tell whose value it is, where people name the part and not the number of the line', () => {
    const [first] = suspectsOf(stepsOf(states(2)), ERROR);
    expect(first).toMatchObject({ seq: 3, path: '$.rows[2].amount' });
    expect(confident(suspectsOf(stepsOf(states(-1)), ERROR))).toEqual([]);
  });
});

it('blames the value that a report was made of before the report', () => {
  const rows = (wrong: boolean): object[] =>
    NAMES.map((id, nth) => ({ id, price: wrong && nth === 2 ? 9_100 : 80 + nth * 3 }));
  const last = { rows: rows(true), report: { rows: 6, sum: 9_497 } };
  const states = [{ rows: rows(false) }, { rows: rows(false), n: 1 }, { rows: rows(true), n: 2 }, { ...last, n: 3 }];
  expect(at(suspectsOf(stepsOf(states), { error: 'report: sum 9497 is out of range' }))[0]).toBe('3 $.rows[2].price');
});

it('takes a map whose entries get more fields step by step for what is worked on, whatever it says', () => {
  const topics = ['Fugues for beginners', 'Forces and exercises', 'Caesar, book two', 'Relay race, with a test'];
  const lesson = (nth: number): object => ({ topic: topics[nth % 4], pupils: 21 + nth });
  const lessons = (to: number, rooms: number): Record<string, object> =>
    Object.fromEntries(
      NAMES.slice(0, to).map((name, nth) => [name, { ...lesson(nth), ...(nth < rooms ? { room: `R ${nth}` } : {}) }]),
    );
  const wrong = { ...lessons(6, 4), birch: { ...lesson(1), room: 'R 1', pupils: 22_000 } };
  const states = [{}, lessons(2, 0), lessons(4, 0), lessons(4, 2), lessons(6, 2), lessons(6, 4), wrong, wrong];
  expect(at(suspectsOf(stepsOf(states.map((plan, n) => ({ n, plan }))), ERROR))[0]).toBe('7 $.plan.birch.pupils');
});

it('takes what is emptied again and again for nothing odd', () => {
  const states = NAMES.flatMap((name, nth): State[] => [
    { request: { from: 'desk', room: nth + 1 }, done: NAMES.slice(0, nth) },
    { request: null, done: [...NAMES.slice(0, nth), name] },
  ]);
  expect(suspectsOf(stepsOf(states), ERROR).filter(({ path }) => path === '$.request')).toEqual([]);
  const once = [...states.slice(0, -1), { request: null, done: NAMES }].map((state, nth) => ({
    ...state,
    request: nth === states.length - 1 ? null : { from: 'desk', room: 4 },
  }));
  expect(at(suspectsOf(stepsOf(once), ERROR))[0]).toBe(`${states.length} $.request`);
});

const NOTES = [
  'Read the first part of it',
  'Compared offers of all mills',
  'Asked two more for a price',
  'Wrote a letter to the bank',
  'Now it waits for an answer',
];

it('reads no time, no id and no large object for a text, whatever changes with every step', () => {
  const rows = (wrong: boolean): object[] =>
    NAMES.map((id, nth) => ({ id, price: wrong && nth === 2 ? 9_100 : 80 + nth * 3, open: nth % 2 === 0 }));
  const states = [false, false, false, true, true].map((wrong, nth) => ({
    run: {
      id: `run 2026 checkpoint ${nth}`,
      savedAt: `2026-03-0${nth + 1}T10:0${nth}:00.000Z`,
      note: NOTES[nth],
      ...Object.fromEntries(NAMES.map((name, at) => [name, at])),
      rows: rows(wrong),
    },
  }));
  expect(confident(suspectsOf(stepsOf(states), ERROR))).toContain('4 $.run.rows[2].price');
});
