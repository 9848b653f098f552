/** The same entries, laid out in many ways: the change of one value is told as one of its entry. */
import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { Examination } from './examination.ts';
import type { Place } from './place.ts';
import { stepsOf, type State } from './testing/written.ts';
import type { Suspect } from './types.ts';

const error = 'the import was refused';
const suspects = (states: readonly State[]): Suspect[] => suspectsOf(stepsOf(states), { error });
const at = (suspect: Suspect | undefined): string => `${suspect?.seq} ${suspect?.kind} ${suspect?.path}`;

const IDS = ['QA-11', 'QA-14', 'QA-17', 'QA-20', 'QA-23', 'QA-26'];
const PRICES = [41.5, 39.25, 44.75, 40.5, 43.25, 38.75];
const rows = IDS.map((id, nth) => ({ id, kind: nth % 2 === 0 ? 'pump' : 'valve', price: PRICES[nth] ?? 0 }));
type Row = (typeof rows)[number];

/** Loads all rows, and then takes one price for another that was asked for. */
function run(layout: (rows: readonly Row[]) => State): State[] {
  const loaded = [
    { role: 'user', content: 'Bring the price list up to date, please.' },
    ...rows.map(({ id, kind, price }) => ({ role: 'tool', content: `${id}: kind ${kind}; price ${price}` })),
  ];
  const messages = [...loaded, { role: 'user', content: 'Please set the price of QA-17 to 45.25.' }];
  const wrong = rows.map((row) => (row.id === 'QA-17' ? { ...row, price: 45.52 } : row));
  return [
    { n: 0, ...layout([]) },
    { n: 1, ...layout(rows), messages: loaded },
    { n: 2, ...layout(rows), messages: loaded },
    { n: 3, ...layout(wrong), messages },
    { n: 4, ...layout(wrong), messages },
    { n: 5, ...layout(wrong), messages: [...messages, { role: 'user', content: 'Thanks, send it now please.' }] },
  ];
}

function placesIn(state: State): ReadonlyMap<string, Place> {
  const examination = new Examination([]);
  for (const step of stepsOf([{}, state])) examination.observe(step);
  return new Map(examination.events.map(({ place }) => [place.path.join('.'), place]));
}

describe('a table with its columns named beside it', () => {
  const layout = (of: readonly Row[]): State => ({
    sheet: { columns: ['id', 'kind', 'price', 'parts'], rows: of.map((row) => [...Object.values(row), ['a', 'b']]) },
  });

  it('has rows with names, and fields', () => {
    const place = placesIn(layout(rows)).get('sheet.rows.2.2');
    expect([place?.spokenName, place?.field]).toEqual(['qa 17', ['price']]);
  });

  it('is read in what a step was told', () => {
    const [first] = suspects(run(layout));
    expect(at(first)).toBe('4 changed $.sheet.rows[2][2]');
    expect(first?.reasons.join(' ')).toContain('The step read "to 45.25." instead.');
  });

  it.each([
    ['other lengths', ['id', 'kind']],
    ['the same name twice', ['id', 'kind', 'kind', 'parts']],
    ['no names', ['id', 'kind', 7, 'parts']],
  ])('has none for a list of %s', (_what, columns) => {
    const place = placesIn({ sheet: { ...(layout(rows)['sheet'] as object), columns } }).get('sheet.rows.2.2');
    expect(place?.field).toEqual([]);
  });
});

it('does not take a wide object for a table: its lists would be compared pair by pair', () => {
  const wide = Object.fromEntries(Array.from({ length: 40 }, (_none, nth) => [`list${nth}`, [['QA-11', 7]]]));
  const field = (more: State): readonly string[] | undefined =>
    placesIn({
      sheet: {
        ...more,
        columns: ['id', 'price'],
        rows: [
          ['QA-11', 7],
          ['QA-14', 9],
        ],
      },
    }).get('sheet.rows.1.1')?.field;
  expect(field({})).toEqual(['price']);
  expect(field(wide)).toEqual([]);
});

describe('an entry in an envelope', () => {
  const layout = (of: readonly Row[]): State => ({ docket: of.map((row) => ({ type: 'part', v: 1, data: row })) });

  it('is called as what is in it', () => {
    expect(placesIn(layout(rows)).get('docket.2.data.price')?.spokenName).toBe('qa 17');
    const [first] = suspects(run(layout));
    expect(at(first)).toBe('4 changed $.docket[2].data.price');
  });

  it('is not where two objects are in it', () => {
    const two = { docket: rows.map((row) => ({ v: 1, data: row, more: { note: row.kind } })) };
    expect(placesIn(two).get('docket.2.data.price')?.spokenName).toBe('');
  });
});

describe('maps that are the fields of the same entries', () => {
  const mapOf = (of: readonly Row[], value: (row: Row) => unknown): State =>
    Object.fromEntries(of.map((row) => [row.id.replace(/QA-\d/, 'dish_').concat('x'), value(row)]));
  const layout = (of: readonly Row[]): State => ({
    menu: {
      kind: mapOf(of, ({ kind }) => kind),
      price: mapOf(of, ({ price }) => price),
      served: mapOf(of.slice(0, 1), () => 'yes'),
    },
  });

  it('name the field of their values', () => {
    const places = placesIn(layout(rows));
    expect([...places.keys()]).toContain('menu.price.dish_7x');
    expect(places.get('menu.price.dish_7x')?.field).toEqual(['price']);
    // One value says nothing of its kind, but has a key that others have.
    expect(places.get('menu.served.dish_1x')?.spokenName).toBe('dish 1 x');
    expect(placesIn({ menu: { price: mapOf(rows, ({ price }) => price) } }).get('menu.price.dish_7x')?.field).toEqual(
      [],
    );
  });

  it('are held against each other', () => {
    const costs = (wrong?: number): State => ({
      menu: {
        count: mapOf(rows, (row) => IDS.indexOf(row.id) + 3),
        price: mapOf(rows, ({ price }) => price),
        cost: mapOf(wrong === undefined ? [] : rows, (row) =>
          row.id === 'QA-20' ? wrong : (IDS.indexOf(row.id) + 3) * row.price,
        ),
      },
    });
    const states = [{}, costs(), costs(249), { ...costs(249), done: true }].map((state, n) => ({ n, ...state }));
    const [first] = suspects(states);
    expect(at(first)).toBe('3 added $.menu.cost.dish_0x');
    expect(first?.reasons.join(' ')).toContain('Everywhere else cost = count × price, but not here.');
  });
});

it('takes keys of two words for those of a map, where they have numbers', () => {
  const hours = (of: number): State => ({
    hours: Object.fromEntries(IDS.map((_id, nth) => [`NGC ${200 + 7 * nth}`, nth < of ? (PRICES[nth] ?? 0) : null])),
  });
  expect(placesIn(hours(3)).get('hours.NGC 207')?.spokenName).toBe('ngc 207');
});

describe('maps that are the fields of the entries they name', () => {
  const NAMES = ['okafor2019', 'lind2021a', 'sato2018', 'meyer2020'];
  const map = (valueOf: (nth: number) => unknown): object =>
    Object.fromEntries(NAMES.map((name, nth) => [name, valueOf(nth)]));
  const fieldAt = (state: State, path: string): readonly unknown[] => {
    const place = placesIn(state).get(path);
    return [place?.spokenName, place?.field];
  };

  it('are told by their values, where their keys are not spelled alike', () => {
    const corpus = { design: map(() => 'cohort'), effect: map((nth) => nth + 20.5) };
    expect(fieldAt({ corpus }, 'corpus.effect.lind2021a')).toEqual(['lind 2021 a', ['effect']]);
    const beside = { seen: map(() => ['2021']), ...corpus };
    expect(fieldAt({ corpus: beside }, 'corpus.effect.lind2021a')).toEqual(['lind 2021 a', ['effect']]);
  });

  it('are none where each holds values of several kinds: these are the entries', () => {
    const entry = (nth: number): object => ({ design: 'cohort', effect: nth + 20.5, year2: 2 });
    const corpus = Object.fromEntries(NAMES.map((name, nth) => [name, entry(nth)]));
    expect(fieldAt({ corpus }, 'corpus.lind2021a.effect')).toEqual(['lind 2021 a', ['effect']]);
  });
});

describe('an entry that did not get what the others got', () => {
  const work = (left: readonly string[], said: string): Suspect[] => {
    const entries = (stage: (id: string) => string): object[] => IDS.map((id) => ({ id, stage: stage(id) }));
    const messages = [{ role: 'user', content: 'Move all of them to ready, please.' }];
    const told = [...messages, { role: 'user', content: said }];
    const done = entries((id) => (left.includes(id) ? 'open' : 'ready'));
    return suspects([
      { n: 0, entries: [] },
      { n: 1, entries: entries(() => 'open'), messages },
      { n: 2, entries: entries(() => 'open'), messages },
      { n: 3, entries: done, messages: told },
      { n: 4, entries: done, messages: told },
    ]);
  };

  it('is told beside one that was to be left out', () => {
    const [first] = work(['QA-14', 'QA-20'], 'Hold QA-14 back for now, no stage for it.');
    expect(at(first)).toBe('4 unchanged $.entries[3].stage');
  });

  it('is one of several where nobody said so', () => {
    const found = work(['QA-14', 'QA-20'], 'Hold some of them back for now, please.');
    expect(found.map(({ kind }) => kind)).not.toContain('unchanged');
  });
});
