/** What a step read of an entry and did not write, or wrote otherwise; and values of which little else is known. */
import { expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { stepsOf, type State } from './testing/written.ts';
import type { Suspect } from './types.ts';

const suspects = (states: readonly State[]): Suspect[] =>
  suspectsOf(stepsOf(states), { error: 'the import was refused' });

type Row = Readonly<Record<string, unknown>>;

/** Each step gets one message, and adds one row. */
function imported(rows: readonly Row[], say: (row: Row) => string, kept: readonly Row[] = rows): State[] {
  const states = kept.map((_, at): State => ({
    messages: rows.slice(0, at + 1).map((row, nth) => ({ id: `m-${nth}`, role: 'tool', content: say(row) })),
    meters: kept.slice(0, at + 1),
  }));
  return [{ messages: [], meters: [] }, ...states, { ...states.at(-1), closed: true }];
}

const READ = [4711, 3820, 5277, 6105, 4493].map((kwh, at) => ({ no: `M-${at + 11}`, room: `R-${at + 41}`, kwh }));

it('a value that was read of an entry and is nowhere is missed where others have theirs', () => {
  const kept = READ.map(({ no, room, kwh }, at) => (at === 2 ? { no, room } : { no, room, kwh }));
  const [first] = suspects(
    imported(READ, ({ no, room, kwh }) => `${String(no)}: room ${String(room)}, kwh ${String(kwh)}`, kept),
  );
  expect(`${first?.seq} ${first?.kind} ${first?.path}`).toBe('4 unchanged $.meters[2].kwh');
  expect(first?.reasons).toContain('The step read a value for it, but wrote none.');
});

it('is missed in a short list too, where those of other lists have theirs', () => {
  const holds = (rows: readonly Row[]): State => ({
    holds: [1, 2, 3].map((nth) => ({ name: `hold ${nth}`, boxes: rows.filter((_row, at) => at % 3 === nth - 1) })),
  });
  const open = READ.map(({ no, room }) => ({ no, room, kwh: null }));
  // Of the last one nothing was read.
  const done = READ.map(({ no, room, kwh }, at) => ({ no, room, kwh: at === 2 || at === 4 ? null : kwh }));
  const asked = [{ role: 'user', content: 'Fill in what the meters say, please.' }];
  const rows = READ.slice(0, 4)
    .map(({ no, kwh }) => `${String(no)}: kwh ${String(kwh)}`)
    .join('\n');
  const read = [...asked, { role: 'tool', content: rows }];
  const states = [
    { ...holds([]), messages: [] },
    { ...holds(open), messages: asked },
    { ...holds(done), messages: read },
    { ...holds(done), messages: [...read, { role: 'agent', content: 'All of them are filled in.' }] },
  ];
  const [first] = suspects(states);
  expect(`${first?.seq} ${first?.kind} ${first?.path}`).toBe('3 unchanged $.holds[2].boxes[0].kwh');
  expect(first?.reasons).toContain('The step read a value for it, but wrote none.');
});

it('nothing is missed where nothing was read of it', () => {
  const kept = READ.map(({ no, room, kwh }, at) => (at === 2 ? { no, room } : { no, room, kwh }));
  const say = ({ no, room, kwh }: Row): string =>
    no === 'M-13'
      ? `${no}: room ${String(room)}, to be read again`
      : `${String(no)}: room ${String(room)}, kwh ${String(kwh)}`;
  const words = suspects(imported(READ, say, kept)).flatMap(({ reasons }) => reasons);
  expect(words).not.toContain('The step read a value for it, but wrote none.');
});

it('the first value of a field counts as misread where the rest of its record is as it was read', () => {
  const read = { ref: 'INV-22', client: 'Hallgrim', net: 102.1, due: '2026-07-04' };
  const entry = { no: read.ref, client: read.client, net: 12.1, due: read.due };
  const before = { invoices: [], reply: 'The list of open orders is on its way to you.' };
  const states: State[] = [
    before,
    { ...before, reply: 'Nobody has answered the question about the terms yet.' },
    { ...before, reply: 'All terms are agreed, the invoice can be booked now.' },
    { invoices: [entry], reply: JSON.stringify(read) },
    { invoices: [entry], reply: 'Everything has been handed over to accounting today.' },
  ];
  const [first] = suspects(states);
  expect(`${first?.seq} ${first?.path}`).toBe('4 $.invoices[0].net');
  expect(first?.reasons.join(' ')).toContain('102.1');
});

it('a figure that moves by what was posted to it is no cause, but what was posted', () => {
  const posted = [7200, 6850, 7900, 7340, 734_000, 7100];
  const states = posted.flatMap((_, at): State[] => {
    const ledger = posted.slice(0, at + 1).map((amount, nth) => ({ no: `E-${nth + 31}`, amount }));
    const state = { ledger, balance: 20_000 + ledger.reduce((sum, { amount }) => sum + amount, 0), seen: at };
    return [state, { ...state, checked: at }];
  });
  const [first] = suspects([{ ledger: [], balance: 20_000 }, ...states]);
  expect(first?.path).toBe('$.ledger[4].amount');
});

it('a list that gets an entry at every step is worked on, and no log', () => {
  const amounts = [7200, 6850, 7900, 7340, 734_000, 7100, 6990, 7210];
  const states = amounts.map((_, at): State => ({
    ledger: amounts.slice(0, at + 1).map((amount, nth) => ({ entry: nth + 1, amount, kind: 'payout' })),
  }));
  const found = suspectsOf(stepsOf([{ ledger: [] }, ...states]), { error: 'entry 5: amount is not acceptable' });
  expect(found[0]?.path).toBe('$.ledger[4].amount');
});

it('a blank before a word is a slip, whatever the word is', () => {
  const moods = ['good', 'worn', ' good', 'worn', 'good', 'good'];
  const states = moods.map((_, at): State => ({
    objects: Object.fromEntries(
      moods.map((mood, nth) => [`OB-${nth + 12}`, { room: `R${nth}`, mood: nth <= at ? mood : '' }]),
    ),
  }));
  const [first] = suspects(states);
  expect(first?.path).toBe('$.objects["OB-14"].mood');
  expect(first?.reasons).toContain('It has a blank before or after it.');
});

it('a first value that the error spells out is suspected, though nothing is odd about it', () => {
  const rooms = ['K1', 'K2', 'K3', 'K4', 'K5'].map((id, at) => ({ id, seats: 1_500 + at * 110 }));
  const found = suspectsOf(stepsOf([{ rooms }, { rooms, checked: 1 }, { rooms, checked: 2 }]), {
    error: 'K3: bad seats',
  });
  expect(found.map(({ path }) => path)).toContain('$.rooms[2].seats');
});
