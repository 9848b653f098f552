/** Words beside the name of a field that say nothing of its value, and such that do. */
import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import type { Leaf } from './leaf.ts';
import { Said } from './said.ts';
import { Names, Reading } from './readings.ts';
import { stepsOf, type State } from './testing/written.ts';
import { Texts } from './tokens.ts';

/** What a text says of a field of T-13. */
function claimOf(text: string, ...field: readonly string[]): string | undefined {
  const names = new Names();
  names.add('T-13');
  const passages = new Reading([text], names, new Texts()).about.get('t 13') ?? [];
  return passages.map((passage) => passage.claim(field)?.text).find((claim) => claim !== undefined);
}

describe('what is said of a field', () => {
  it.each([
    ['the price of T-13 is now 7', 'price', 'is now 7'],
    ['T-13: price 7; weight 12', 'price', '7'],
    ['{"id":"T-13","price":7}', 'price', '7'],
    ['For T-13 please enter 7.5 as price (they swapped)', 'price', 'please enter 7.5'],
    ['For T-13 please enter 7.5 as the price', 'price', 'please enter 7.5'],
    ['price of Oak chair (T-13) must be 7', 'price', 'must be 7'],
    ['{"about":"T-13","field":"price","from":5,"to":7}', 'price', '7'],
    ['{"id":"T-13","price (net)":7,"unit":"kg"}', 'price', '7'],
    ['c1: target T-13, attribute price, before 5, current 7, exit 0', 'price', '7'],
    ['unit T-13: box', 'unit', 'box'],
    ['unit of T-13: box instead of can', 'unit', 'box'],
  ])('is heard: %s', (text, field, said) => {
    expect(claimOf(text, field)).toBe(said);
  });

  it.each([
    ['where its name ends a sentence', 'T-13 is settled, as said on the phone.","labels":["late"]', 'phone'],
    ['where it is one of the message, before the entry', '{"name":"cashdesk","rows":[{"id":"T-13","scan":7}]}', 'name'],
    ['where the entry comes in the arguments of a call', 'id c1, name unit_update, arguments {"about":"T-13"}', 'name'],
    ['where it says what is wrong with it', 'the price of T-13 is not acceptable', 'price'],
    ['where somebody is meant', 'Letter from the owner about T-13: due date 8 May', 'owner'],
    ['where somebody did something', 'The owner of T-13 called: the number should be 7', 'owner'],
    ['where somebody asks', 'Could it be that the price of T-13 was 48? Only a question.', 'price'],
    ['where it is of another field', 'Set the codes of unit T-13 to ["egg","milk"].', 'unit'],
    ['where the field is what the entry is', 'unit T-13 brought up to date (weight).', 'unit'],
  ])('is nothing %s', (_where, text, field) => {
    expect(claimOf(text, field)).toBeUndefined();
  });
});

const OWNERS = ['Ines Muñoz', 'Jörg Kühn', 'Märta Ek', 'Ola Lind', 'Chloé Martin', 'Tomáš Novák', 'Ada Berg'];
const LONG = 'Shoulder pain after the fall in march and trouble sleeping on that side persistently since then.';
const patients = OWNERS.map((owner, nth) => ({
  id: `P-${nth + 1}`,
  owner,
  state: nth % 2 === 0 ? 'counted' : 'open',
  remark: nth === 4 ? LONG : `Came for the ${['first', 'second', 'third'][nth % 3] ?? ''} time this week.`,
}));

/** All that is told of a run in which each row came as it was said, and then the last message. */
function reasons(last: string): string {
  const messages: object[] = [];
  const rows: object[] = [];
  const states: State[] = [{ messages: [], rows: [] }];
  for (const patient of patients) {
    const { id, owner, state, remark } = patient;
    messages.push({ from: 'desk', text: `${id}: owner ${owner}; state ${state}; remark ${remark}` });
    rows.push(patient);
    states.push({ messages: [...messages], rows: [...rows] });
  }
  const end = { messages: [...messages, { from: 'desk', text: last }], rows };
  return suspectsOf(stepsOf([...states, end, { ...end, sent: 1 }]), { error: 'the import was refused' })
    .flatMap((suspect) => suspect.reasons)
    .join('\n');
}

describe('the name of a field in a longer name', () => {
  const of = (isWhole: boolean): string | undefined => {
    const names = new Names();
    names.add('T-13');
    const text = '{"id":"T-13","full_price":9,"priceClass":"B"}';
    const [passage] = new Reading([text], names, new Texts()).about.get('t 13') ?? [];
    return passage?.claim(['price'], isWhole)?.text;
  };

  it('is not that field, where what is read has that too', () => {
    expect(of(false)).toBe('9');
    expect(of(true)).toBeUndefined();
  });
});

describe('a value in what was said', () => {
  const sign = { value: 'BLANK series north', joined: 'blank series north', kind: 'string' } as Leaf;

  it('ends at a bracket, and continues with more words', () => {
    expect(new Said('-> blank series north (as spelled by the curator)').agreesWith(sign)).toBe(false);
    expect(new Said('BLANK series north (as spelled by the curator)').agreesWith(sign)).toBe(true);
    expect(new Said('BLANK series north of the river').agreesWith(sign)).toBe(false);
  });
});

it('is said of the entry that has the value, and not of the one that is called so', () => {
  const stations = ['ST1K', 'ST2G', 'ST3R'].map((code) => ({ code, seats: 4 }));
  const dishes = ['d-1', 'd-2', 'd-3', 'd-4', 'd-5'].map((id) => ({ id, station: 'ST2G' }));
  const mended = dishes.map((dish) => (dish.id === 'd-3' ? { ...dish, station: 'ST1K' } : dish));
  const messages = [
    { role: 'user', content: 'Assign all dishes to a station.' },
    { role: 'agent', content: 'I did so, please check.' },
  ];
  const said = [...messages, { role: 'user', content: 'Correction: the station of d-3 is ST1K, not ST2G.' }];
  const states = [
    { n: 0, stations, dishes: [], messages: [] },
    { n: 1, stations, dishes, messages },
    { n: 2, stations, dishes: mended, messages: said },
    { n: 3, stations, dishes: mended, messages: said },
  ];
  const paths = suspectsOf(stepsOf(states), { error: 'refused' }).map(({ path }) => path);
  expect(paths.filter((path) => path.startsWith('$.stations'))).toEqual([]);
});

describe('what was read and not written', () => {
  it('is told where it is another value', () => {
    expect(reasons('P-3: owner Jörg Kühn')).toContain('The step read "Jörg Kühn" instead.');
  });

  it('is told where it is said in between that it was done', () => {
    expect(reasons('P-3: owner must be Jörg Kühn.\nDone: owner of P-3 handled.')).toContain('must be Jörg Kühn');
  });

  it('is told where it is of the kind, though no entry has it', () => {
    const rows = ['K100', 'K200', 'K100', 'K200'].map((kitchen, nth) => ({ id: `D-${nth + 1}`, kitchen }));
    const told = (all: typeof rows): object[] =>
      all.map(({ id, kitchen }) => ({ from: 'desk', text: `${id}: kitchen ${kitchen} it is.` }));
    const messages = told(rows);
    const said = [...messages, { from: 'desk', text: 'The kitchen of D-3 must be K300.' }];
    const states = [
      { n: 0, rows: [], messages: [] },
      { n: 1, rows, messages },
      { n: 2, rows, messages: said },
      { n: 3, rows, messages: [...said, { from: 'desk', text: 'Send it now please.' }] },
    ];
    const [first] = suspectsOf(stepsOf(states), { error: 'refused' });
    expect([first?.path, first?.kind]).toEqual(['$.rows[2].kitchen', 'unchanged']);
  });

  it('is no word where the values are codes', () => {
    const rows = ['mk_ef', 'mk_ab', 'mk_cd', 'mk_gh'].map((marker, nth) => ({ id: `D-${nth + 1}`, marker }));
    const messages = rows.map(({ id, marker }) => ({ from: 'desk', text: `${id}: marker ${marker}` }));
    const last = [...messages, { from: 'desk', text: 'D-3: second marker agrees with the first.' }];
    const states = [
      { n: 0, rows: [], messages: [] },
      { n: 1, rows, messages },
      { n: 2, rows, messages: last },
      { n: 3, rows, messages: last },
    ];
    expect(suspectsOf(stepsOf(states), { error: 'refused' }).flatMap((one) => one.reasons)).toEqual([]);
  });

  it('is not the name of the entry itself', () => {
    expect(reasons('check the owner P-3')).not.toContain('instead');
  });

  it.each([
    ['what somebody wants', 'P-3 came late and the owner wants the money back'],
    ['what was done', 'Done, the owner of P-3 is corrected.'],
    ['a verb that is a state as well', 'P-3: everything was counted twice by two people'],
    ['a long text that a claim ends within a word of', 'Nothing else came.'],
    ['the beginning of what it is now', 'The remark of P-5 is now Shoulder pain after the fall, in march.'],
    ['the first of all, in another sentence', 'The eldest is P-3 (Märta Ek, counted). First owner: Ada Berg.'],
  ])('is not %s', (_what, last) => {
    expect(reasons(last)).not.toContain('instead');
  });
});
