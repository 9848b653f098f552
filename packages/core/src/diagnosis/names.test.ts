/** Names of entries: in titles, in errors, and as values. */
import { expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import type { DiagnosedStep, Suspect } from './types.ts';

type State = Readonly<Record<string, unknown>>;
type Step = readonly [description: string, state: State];

const suspects = (steps: readonly Step[], error = 'the plan was refused'): Suspect[] => {
  const all: readonly Step[] = [['start', steps[0]?.[1] ?? {}], ...steps];
  const read = all.map(([description, state], seq): DiagnosedStep => ({
    ref: { task: 'run', id: `c${seq}` },
    seq,
    status: seq === all.length - 1 ? 'failed' : 'completed',
    description,
    text: JSON.stringify({ ...state, tick: seq }),
  }));
  return suspectsOf(read, { error });
};

const OPS = ['OP10', 'OP20', 'OP30', 'OP40', 'OP50', 'OP60'];

it('an entry whose name begins like its field is named, and the field is not asked to change', () => {
  const after = (done: number): State => ({ plan: OPS.map((op, at) => ({ op, sec: at < done ? 5 + at : 4 })) });
  const found = suspects(OPS.map((op, at): Step => [`time ${op}`, after(at + 1)]));
  expect(found.map(({ path }) => path).filter((path) => path.endsWith('.op'))).toEqual([]);
});

it('a path in the error without its entry points at no one entry', () => {
  const fleet = (moved: string): State => ({
    fleet: Object.fromEntries(
      OPS.map((op, at) => [op, { orbit: { apogee_km: op === moved ? 900 + at : 520 + at, margin: 3 } }]),
    ),
  });
  const steps: Step[] = [
    ['load', fleet('')],
    ['amend', fleet('OP40')],
    ['close', { ...fleet('OP40'), closed: true }],
  ];
  const [first] = suspects(steps, 'OP40: orbit.apogee_km is not possible');
  expect(first?.path).toBe('$.fleet.OP40.orbit.apogee_km');
  const words = suspects(steps, 'orbit.apogee_km is not possible').flatMap(({ reasons }) => reasons);
  expect(words.filter((one) => one.includes('"$.fleet'))).toEqual([]);
});

it('a value that should be the name in the title, as others are, and is another', () => {
  const people = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay'];
  const payees = Object.fromEntries(
    people.map((name, at) => [`${name}@x.org`, { iban: `DE${at + 17}`, cents: 8_000 + at }]),
  );
  const ledger = people.map((name, at) => ({ no: at + 101, payee: `${at === 4 ? 'bob' : name}@x.org`, paid: true }));
  const steps = people.flatMap((name, at): Step[] => {
    const state = { payees, ledger: ledger.slice(0, at + 1) };
    return [
      [`pay ${name}@x.org`, state],
      ['check the bank', { ...state, checked: at }],
    ];
  });
  const [first] = suspects([['load', { payees, ledger: [] }], ...steps]);
  expect(`${first?.seq} ${first?.path}`).toBe('10 $.ledger[4].payee');
  expect(first?.reasons).toContain('Similar values are what the title of their step names, but this one is not.');
});

it('an entry that came a second time under another key', () => {
  const claim = (at: number): State => ({
    holder: `Holder ${at}`,
    policy: `P-${at}88-3${at}`,
    cause: 'fire',
    paid: at * 310,
  });
  const book = (count: number, more: State = {}): State => ({
    book: { ...Object.fromEntries(OPS.slice(0, count).map((_, at) => [`CLM/${at + 40}`, claim(at + 1)])), ...more },
  });
  const [first] = suspects([
    ['load', book(5)],
    ['add one', book(6)],
    ['sort', book(6, { 'CLM/42 (2)': claim(3) })],
    ['close', { ...book(6, { 'CLM/42 (2)': claim(3) }), closed: true }],
  ]);
  expect(first?.path).toContain('$.book["CLM/42 (2)"]');
  expect(first?.reasons).toContain('The same entry is in the list already.');
});
