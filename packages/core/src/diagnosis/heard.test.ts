/** What was read, in the words of people: fields and entries by other names, days, lists, records that name others. */
import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { stepsOf, type State } from './testing/written.ts';
import type { Suspect } from './types.ts';
import { daysIn } from './days.ts';
import { numbersIn } from './values.ts';

interface Row {
  readonly id: string;
  readonly [field: string]: unknown;
}

const at = (suspects: readonly Suspect[]): string[] => suspects.map(({ seq, path }) => `${seq} ${path}`);
const suspects = (states: readonly State[], error = 'the import was refused'): Suspect[] =>
  suspectsOf(stepsOf(states), { error });

/** Each step gets a message about one row, and adds it as `write` has it. */
function told(rows: readonly Row[], say: (row: Row) => string, write: (row: Row, nth: number) => Row): State[] {
  const messages: object[] = [];
  const written: Row[] = [];
  const states: State[] = [{ messages: [], rows: [] }];
  for (const [nth, row] of rows.entries()) {
    messages.push({ from: 'desk', text: say(row) });
    written.push(write(row, nth));
    states.push({ messages: [...messages], rows: [...written] });
  }
  return [...states, { messages, rows: written, done: true }];
}

const VETS = ['Dr. Haas', 'Dr. Okoye', 'Dr. Lind', 'Dr. Haas', 'Dr. Lind', 'Dr. Okoye', 'Dr. Haas'];
const patients: Row[] = VETS.map((vet, nth) => ({ id: `P-${nth + 1}`, seen_by: vet, dose_mg: 40 + nth * 7 }));

describe('a field that people call otherwise', () => {
  const say = ({ id, seen_by: vet, dose_mg: dose }: Row): string =>
    `${id}: vet ${String(vet)}; amount ${String(dose)} mg`;

  it('is found by the words before its values', () => {
    const states = told(patients, say, (row, nth) => (nth === 4 ? { ...row, dose_mg: 54 } : row));
    const [first] = suspects(states);
    expect(first && at([first])).toEqual(['6 $.rows[4].dose_mg']);
    expect(first?.reasons.join()).toContain('The step read "68 mg" instead');
  });

  it('is found where it was not updated, up to the end of a name with a point in it', () => {
    const states = told(patients, say, (row) => row);
    const last = states.at(-1) ?? {};
    const messages = [...(last['messages'] as object[]), { from: 'desk', text: 'P-3: vet Dr. Okoye' }];
    const missed = suspects([...states.slice(0, -1), { ...last, messages }, { ...last, messages, sent: 1 }]);
    expect(at(missed)).toContain('9 $.rows[2].seen_by');
    expect(missed.find(({ path }) => path === '$.rows[2].seen_by')?.reasons[0]).toContain('Dr. Okoye');
  });
});

describe('a field that is converted as it is written', () => {
  const DOSES = [2.09, 1.44, 0.865, 2.27, 1.33, 1.2, 2.33];
  const studies: Row[] = DOSES.map((dose, nth) => ({ id: `P-${nth + 1}`, mg: dose * 1000 }));
  const other = (nth: number): object =>
    nth === 3 ? { id: 'P-4', mg: 1330 } : nth === 4 ? { id: 'P-5', mg: 2270 } : {};

  /** All are there without a value, and then read in one step and written in the next. */
  const states = (say: (dose: number, nth: number) => string): State[] => {
    const empty = studies.map(({ id }) => ({ id, mg: null }));
    const rows = studies.map((row, nth) => ({ ...row, ...other(nth) }));
    const asked = [{ from: 'desk', text: 'Please enter the doses of all.' }];
    const read = [...asked, { from: 'desk', text: DOSES.map(say).join('\n') }];
    const done = [...read, { from: 'bot', text: 'All doses are in now.' }];
    return [
      { messages: [], rows: [] },
      { messages: asked, rows: empty },
      { messages: read, rows: empty },
      { messages: done, rows },
      { messages: done, rows, sent: 1 },
    ];
  };

  it.each([
    ['with their units', (dose: number, nth: number) => `P-${nth + 1}: daily amount ${dose} g`],
    ['without them', (dose: number, nth: number) => `P-${nth + 1}: daily amount ${dose}`],
  ])('is found by its figures: %s', (_how, say) => {
    const found = suspects(states(say)).slice(0, 2);
    expect(at(found).toSorted()).toEqual(['4 $.rows[3].mg', '4 $.rows[4].mg']);
    expect(found[0]?.reasons.join()).toMatch(/The step read "(?:2\.27|1\.33)/);
  });

  it('is none where the figures have nothing in common', () => {
    const found = suspects(states((dose, nth) => `P-${nth + 1}: daily amount ${dose + nth * nth}`));
    expect(found.flatMap(({ reasons }) => reasons).join()).not.toContain('instead');
  });
});

it('shows what was not updated where it is by then, though an entry before it has gone', () => {
  const say = ({ id, seen_by: vet }: Row): string => `${id}: vet ${String(vet)}`;
  const states = told(patients, say, (row) => row).slice(0, -1);
  const last = states.at(-1) ?? {};
  const rows = (last['rows'] as Row[]).slice(1);
  const messages = [...(last['messages'] as object[]), { from: 'desk', text: 'P-3: vet Dr. Okoye' }];
  const later = [0, 1, 2].map((n): State => ({ ...last, rows, n }));
  const missed = suspects([...states, ...later, { messages, rows, n: 3 }, { messages, rows, n: 3, done: true }]);
  expect(at(missed)).toContain('12 $.rows[1].seen_by');
});

it('reads all that is said of an entry, though a value in it is the name of something else', () => {
  const modes = ['idle', 'busy', 'idle', 'busy', 'off', 'idle', 'off'];
  const rows: Row[] = modes.map((mode, nth) => ({ id: `M-${nth + 1}`, mode, crew: `team ${'ABCDEFG'[nth]}`, nth }));
  const say = ({ id, mode, crew }: Row): string => `${id} has mode ${String(mode)} and crew ${String(crew)}`;
  const states = told(rows, say, (row, nth) => (nth === 5 ? { ...row, crew: 'team B' } : row)).map((state) => ({
    ...state,
    count: { idle: 3, busy: 2, off: 2 },
  }));
  const [first] = suspects(states);
  expect(first && at([first])).toEqual(['7 $.rows[5].crew']);
  expect(first?.reasons.join()).toContain('The step read "team F" instead');
});

describe('days in words', () => {
  it('are read in the ways that people write them', () => {
    expect(daysIn('from 17 May to June 2nd, 1st of Dec.')).toEqual(['05-17', '06-02', '12-01']);
    expect(daysIn('may 5 people, marching 3 abreast, 12 decks')).toEqual(['05-05']);
  });

  it('are those of a date in the state', () => {
    const months = ['January', 'March', 'May', 'June', 'July', 'August', 'October'];
    const numbers = ['01', '03', '05', '06', '07', '08', '10'];
    const rows: Row[] = months.map((month, nth) => ({
      id: `T-${nth}`,
      due: `2026-${numbers[nth]}-1${nth}`,
      month,
      nth,
    }));
    const say = ({ id, month, nth }: Row): string => `${id} is due on 1${String(nth)} ${String(month)}.`;
    const states = told(rows, say, (row) => (row.id === 'T-3' ? { ...row, due: '2026-06-23' } : row));
    expect(at(suspects(states))[0]).toBe('5 $.rows[3].due');
  });
});

it('reads notes that are gone on with, however long they are', () => {
  const fees = Object.fromEntries(
    ['ash', 'birch', 'cedar', 'elm', 'fir', 'hazel'].map((name, nth) => [name, 120 + nth * 8]),
  );
  let notes = `All fees are those of last year. ${'They were agreed upon by all members of the board. '.repeat(120)}`;
  let now = fees;
  const states: State[] = [{ notes, fees: now }];
  for (const [name, fee] of Object.entries({ birch: 150, elm: 160, hazel: 117 })) {
    notes += `\nThe board sets the fee of ${name} to ${fee}.`;
    now = { ...now, [name]: fee };
    states.push({ notes, fees: now });
  }
  const silent = { notes, fees: { ...now, cedar: 182 } };
  expect(at(suspects([...states, silent, { ...silent, done: 1 }]))[0]).toBe('5 $.fees.cedar');
});

describe('a list that came with fewer values than were read', () => {
  const PARTS = ['fuse', 'grease', 'filter', 'brake pad', 'seal kit'];
  const rows: Row[] = Array.from({ length: 7 }, (_none, nth) => ({
    id: `W-${nth + 1}`,
    parts: [0, 1, 2].map((off) => PARTS[(nth * 2 + off) % PARTS.length]),
  }));
  const say = ({ id, parts }: Row): string => `${id}: parts ${(parts as string[]).join(', ')}; nothing else`;

  it('is told by its last value', () => {
    const states = told(rows, say, (row, nth) =>
      nth === 3 ? { ...row, parts: (row['parts'] as string[]).slice(0, 2) } : row,
    );
    const [first] = suspects(states);
    expect(at(first ? [first] : [])).toEqual(['5 $.rows[3].parts[1]']);
    expect(first?.reasons[0]).toMatch(/^The step read more: /);
  });

  it('is told where the lists of others end with "and"', () => {
    const joined = (row: Row): string => (row.id === 'W-4' ? say(row) : say(row).replace(/, ([^,]*);/, ' and $1;'));
    const shorter = (row: Row, nth: number): Row =>
      nth === 3 ? { ...row, parts: (row['parts'] as string[]).slice(0, 2) } : row;
    expect(at(suspects(told(rows, joined, shorter)))[0]).toBe('5 $.rows[3].parts[1]');
    // What follows "and" may be the last value, or something else.
    const all = told(
      rows,
      (row) => joined({ ...row, id: row.id === 'W-4' ? 'W-40' : row.id }).replace('W-40', 'W-4'),
      shorter,
    );
    expect(
      suspects(all)
        .flatMap(({ reasons }) => reasons)
        .join(),
    ).not.toContain('The step read more');
  });

  it('is none where others were written in part too', () => {
    const states = told(rows, say, (row) => ({ ...row, parts: (row['parts'] as string[]).slice(0, 2) }));
    expect(
      suspects(states)
        .flatMap(({ reasons }) => reasons)
        .join(),
    ).not.toContain('The step read more');
  });
});

it('takes bookings of different kinds in one map for entries: one that is dropped is told', () => {
  const bookings = {
    'HT-2676': { kind: 'hotel', place: 'The Old Mill', nights: 3, status: 'held' },
    'FL-13BA': { kind: 'flight', route: 'LIS-PRG', seats: 2 },
    'TR-CA59': { kind: 'train', leaves: '18:20', coach: 7, seat: 'window' },
  };
  const { 'FL-13BA': _dropped, ...left } = bookings;
  const states: State[] = [
    { bookings },
    { bookings, n: 1 },
    { bookings, n: 2 },
    { bookings: left, n: 3 },
    { bookings: left, n: 4 },
  ];
  const [first] = suspects(states, 'the agency refused the plan');
  expect(first && `${first.seq} ${first.path} ${first.kind}`).toBe('4 $.bookings["FL-13BA"] removed');
});

describe('a text that came shorter than it was read', () => {
  const NOTES = [
    'left bearing is worn',
    'oil level was low',
    'two bolts are loose',
    'the belt was changed',
    'noise at start',
  ];
  const rows: Row[] = NOTES.map((note, nth) => ({ id: `W-${nth + 1}`, note }));
  const say = ({ id, note }: Row): string => `${id}: "${String(note)}"`;

  it('is told where what was read goes on', () => {
    const states = told(rows, say, (row, nth) => (nth === 3 ? { ...row, note: 'the belt was' } : row));
    const [first] = suspects(states);
    expect(first && at([first])).toEqual(['5 $.rows[3].note']);
    expect(first?.reasons[0]).toBe('The step read more: "the belt was changed".');
  });

  it('is none where all were shortened', () => {
    const states = told(rows, say, (row) => ({ ...row, note: String(row['note']).split(' ').slice(0, 3).join(' ') }));
    expect(
      suspects(states)
        .flatMap(({ reasons }) => reasons)
        .join(),
    ).not.toContain('The step read more');
  });
});

describe('what is said of an entry', () => {
  const fees: Row[] = [51, 64, 47, 72, 58].map((fee, nth) => ({ id: `W-${nth + 1}`, site: `hall ${nth + 4}`, fee }));
  const words = (states: readonly State[]): string =>
    suspects(states)
      .flatMap(({ reasons }) => reasons)
      .join();

  it('is read from JSON within a text', () => {
    const say = (row: Row): string => `tool: ${JSON.stringify(row)}`;
    expect(words(told(fees, say, (row) => row))).not.toContain('instead');
    const [first] = suspects(told(fees, say, (row, nth) => (nth === 2 ? { ...row, site: 'hall 9' } : row)));
    expect(first && at([first])).toEqual(['4 $.rows[2].site']);
  });

  it('is nothing where only more entries are counted', () => {
    expect(
      words(
        told(
          fees,
          ({ id, fee }) => `fee of ${id} and 2 more; it is ${String(fee)}`,
          (row) => row,
        ),
      ),
    ).not.toContain('instead');
  });

  it('is nothing where the words have no digit and the value has one', () => {
    const say = ({ id, site }: Row): string => `${id}: ${String(site)}. site of ${id} is wrong in the old list`;
    expect(words(told(fees, say, (row) => row))).not.toContain('instead');
  });
});

it('reads numbers whose thousands are apart by a blank or an apostrophe', () => {
  expect(numbersIn('CN-318 weighs 8 148 kg, not 12’500 or 3.250')).toEqual(expect.arrayContaining([8148, 12500, 3250]));
});

describe('a change that was asked for', () => {
  const prices = [41, 64, 57, 72, 58, 66];
  const state = (changed: unknown, done: boolean): State => ({
    rows: prices.map((price, nth) => ({
      id: `W-${nth + 1}`,
      price: done && nth === 2 ? changed : price,
      site: 'hall',
    })),
  });
  const asked = (text: string, changed: unknown): number => {
    const said = ['all of them were seen on Monday', 'the list is with the desk now', text];
    const messages = (count: number): object[] => said.slice(0, count).map((one) => ({ from: 'desk', text: one }));
    const states = [1, 2, 3].map((count): State => ({ ...state(changed, count === 3), messages: messages(count) }));
    const found = suspects([...states, { ...state(changed, true), messages: messages(3), done: true }]);
    return found.find(({ path }) => path === '$.rows[2].price')?.score ?? 0;
  };

  it.each([
    ['W-3 is to cost 12 times the price', 684],
    ['price of W-3 plus 900 percent', 570],
    ['please turn the sign of the price of W-3', -57],
    ['the price of W-3 is to be tripled and more, factor 30 in all', 1710],
    ['price tbd for W-3, enter it like that', 'tbd'],
  ])('is hardly a suspect: %s', (text, changed) => {
    expect(asked(text, changed)).toBeLessThan(asked('W-3 is the third of them', changed) * 0.75);
  });

  it('is one where something else was asked for', () => {
    const score = asked('price of W-3 plus 900 percent', 570);
    expect(asked('price of W-3 plus 9 percent', 570)).toBeGreaterThan(score * 1.5);
  });
});
