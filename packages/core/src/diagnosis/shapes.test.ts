/** What tools answer comes in many shapes: records by line, units, lists in objects, two values for one field. */
import { describe, expect, it } from 'vitest';
import { linesOf } from './records.ts';
import { asked, at, claims, GRANTED, reasons, suspects, told, type Row } from './testing/told.ts';
import type { State } from './testing/written.ts';

describe('of two values that were read', () => {
  const say = ({ id, claimed, granted }: Row): string => JSON.stringify({ id, claimed, granted });

  it('tells the one that others did not take', () => {
    const [first] = suspects(
      told(claims, say, (row, nth) => (nth === 3 ? { id: row.id, refund: row['claimed'] } : asked(row))),
    );
    expect(at(first)).toBe('5 added $.rows[3].refund');
    expect(first?.reasons.join()).toContain(
      'The step took what it read as "claimed"; for similar values it took "granted".',
    );
  });

  it('says nothing where all took the same, or there was only one', () => {
    expect(reasons(suspects(told(claims, say, asked)))).not.toContain('for similar values it took');
    const one = ({ id, granted }: Row): string =>
      JSON.stringify({ id, [id === 'T-14' ? 'claimed' : 'granted']: granted });
    expect(reasons(suspects(told(claims, one, asked)))).not.toContain('for similar values it took');
  });
});

describe('a record with a line for each field', () => {
  const say = ({ id, granted }: Row): string => `case: ${id}\nbudget: 440.65\nrefund: ${String(granted)}`;

  it('says all of its entry', () => {
    const [first] = suspects(told(claims, say, (row, nth) => (nth === 4 ? { id: row.id, refund: 37.95 } : asked(row))));
    expect(at(first)).toBe('6 added $.rows[4].refund');
    expect(first?.reasons.join()).toContain('The step read "39.75" instead.');
  });

  it('ends where the next one begins', () => {
    const pair = (row: Row): string => `${say(row)}\ncase: Z-1\nrefund: 1.25`;
    expect(reasons(suspects(told(claims, pair, asked)))).not.toContain('1.25');
  });
});

it('takes a record for one, though its entry has two names in it', () => {
  const isName = (words: readonly string[]): boolean => ['t 13', 'w 9', 't 14'].includes(words.join(' '));
  const text = 'case: T-13\nowner: W-9\nrefund: 7\ncase: T-14\nrefund: 8';
  expect(linesOf(text, isName)).toEqual(['case: T-13; owner: W-9; refund: 7', 'case: T-14; refund: 8']);
});

describe('a table in what was read', () => {
  const table =
    (sign: string, [left, right] = ['', '']) =>
    (row: Row): string =>
      [
        ['case', 'payment', 'budget'],
        [row.id, String(row['granted']), '440.65'],
        ['Z-9', '12.5', '440.65'],
      ]
        .map((cells) => `${left}${cells.join(sign)}${right}`)
        .toSpliced(1, 0, ...(sign === ' | ' ? ['|---|---|---|'] : []))
        .join('\n');

  it.each([
    ['Markdown', table(' | ', ['| ', ' |'])],
    ['semicolons', table(';')],
    ['tabs', table('\t')],
  ])('is told by its columns: %s', (_what, say) => {
    const [first] = suspects(told(claims, say, (row, nth) => (nth === 4 ? { id: row.id, refund: 37.95 } : asked(row))));
    expect(at(first)).toBe('6 added $.rows[4].refund');
    expect(first?.reasons.join()).toContain('The step read "39.75" instead.');
  });

  it.each([
    ['a sentence above another one', 'Well done, all of you\nT-13 was late, price 7'],
    ['a row above another one', 'price 8; weight 9\nprice 7; weight 3'],
    ['a row of another length', 'case;price\nT-13;7;9'],
    ['a column twice', 'case;case\nT-13;7'],
  ])('is not %s', (_what, text) => {
    expect(linesOf(text, () => false)).toEqual(text.split('\n'));
  });
});

describe('lists of plain values that were read', () => {
  const parts = ['lime', 'potash', 'slurry', 'boron', 'compost'];
  const fields: Row[] = Array.from({ length: 7 }, (_none, nth) => ({
    id: `P-${nth + 1}`,
    inputs: parts.slice(nth % 2, 3 + (nth % 3)),
  }));
  const cutTo = (of: number) => (row: Row, nth: number) =>
    nth === 4 ? { ...row, inputs: (row['inputs'] as string[]).slice(0, of) } : row;

  it.each([
    ['; ', 1],
    ['+', 2],
    [' / ', 1],
    [', ', 2],
  ])('were cut where more was said: "%s"', (sign, of) => {
    const say = ({ id, inputs }: Row): string =>
      `plot: ${id}\ngiven: ${(inputs as string[]).join(sign)}\nmail: desk@farm.example`;
    const [first] = suspects(told(fields, say, cutTo(of)));
    expect(at(first)).toBe(`6 added $.rows[4].inputs[${of - 1}]`);
    expect(first?.reasons.join()).toContain('The step read more: ');
    expect(reasons(suspects(told(fields, say, (row) => row)))).not.toContain('The step read more');
  });
});

describe('a figure in another unit', () => {
  const sizes: Row[] = [743.5, 612.25, 871.75, 655.5, 798.25, 701.75, 689.5].map((kb, nth) => ({
    id: `pkg-${nth + 1}`,
    kb,
  }));
  const say = ({ id, kb }: Row): string =>
    `${id}: kb ${id === 'pkg-5' ? `${String(Number(kb) / 1000)} MB` : `${String(kb)} kB`}`;

  it('is what was read', () => {
    const found = suspects(told(sizes, say, (row) => row));
    expect(found.filter(({ path }) => path === '$.rows[4].kb')).toEqual([]);
  });
});

describe('a figure that was taken without its unit', () => {
  const times: Row[] = [43.5, 12.25, 71.75, 55.5, 98.25, 21.75, 89.5].map((hours, nth) => ({
    id: `job-${nth + 1}`,
    hours,
  }));
  const say = ({ id, hours }: Row): string =>
    JSON.stringify({ id, logged: id === 'job-5' ? '2.15 d' : `${String(hours)} h` });
  const unit = 'It was read in "d" and taken as it stood; similar values were in "h".';

  it('is told', () => {
    const [first] = suspects(told(times, say, (row, nth) => (nth === 4 ? { id: row.id, hours: 2.15 } : row)));
    expect(at(first)).toBe('6 added $.rows[4].hours');
    expect(first?.reasons.join()).toContain(unit);
  });

  it('is not told where a word follows', () => {
    const worded = ({ id, hours }: Row): string => `${id}: ${String(hours)} ${id === 'job-5' ? 'and' : 'h'}`;
    expect(reasons(suspects(told(times, worded, (row) => row)))).not.toContain('as it stood');
  });
});

describe('an entry that is like another one', () => {
  const tagged = claims.map((row, nth) => ({ ...row, tag: `4bea-19${nth}${nth * 7 + 11}` }));
  const say = ({ id, tag }: Row): string => `${id}: tag ${String(tag)}`;
  const twice = (ask: string): string => {
    const states = told(tagged, say, (row) => row);
    const last = states.at(-1) as { messages: object[]; rows: Row[] };
    const messages = [...last.messages, { role: 'user', content: ask }];
    const rows = [...last.rows, { ...last.rows[2], id: 'T-13b' }];
    const found = suspects([...states, { messages, rows, n: 90 }, { messages, rows, n: 91 }]);
    return reasons(found.filter(({ path, score }) => path.startsWith('$.rows[7]') && score > 0.3));
  };

  it('is none that somebody asked for', () => {
    expect(twice('All done, go on with the next page please.')).toContain('appears twice');
    expect(twice('Add a second record for T-13, call it T-13b, same values.')).toBe('');
  });
});

describe('a value that a source has not', () => {
  const read = (left: string): number => {
    const rows = claims.map(({ id }) => ({ id, refund: null }));
    const filled = claims.map(({ id, granted }) => ({ id, refund: id === 'T-14' ? null : granted }));
    const lines = claims.map(({ id, granted }) => `${id}: refund ${id === 'T-14' ? left : String(granted)}`);
    const messages = [{ role: 'user', content: 'Fill in all of them.' }];
    const answered = [...messages, ...lines.map((content) => ({ role: 'tool', content }))];
    const states = [
      { n: 0, messages: [], rows },
      { n: 1, messages, rows },
      { n: 2, messages: answered, rows: filled },
      { n: 3, messages: answered, rows: filled },
    ];
    return suspects(states).find(({ path }) => path === '$.rows[3].refund')?.score ?? 0;
  };

  it('is left open with reason', () => {
    expect(read('n/a')).toBeLessThan(read('as agreed') / 2);
    expect(read('not available from the register')).toBeLessThan(read('as agreed') / 2);
  });
});

it('reads a list as a list where a tool answers in objects', () => {
  const keys = ['tenant', 'region', 'source', 'period', 'branch'];
  const tables: Row[] = Array.from({ length: 7 }, (_none, nth) => ({
    id: `tbl_${nth + 1}`,
    keys: keys.slice(nth % 2, 3 + (nth % 3)),
  }));
  const say = ({ id, keys: all }: Row): object => ({ rows: [{ table: id, checksum: `c${id}`, primary: all }] });
  const [first] = suspects(
    told(tables, say, (row, nth) => (nth === 4 ? { ...row, keys: (row['keys'] as string[]).slice(0, 2) } : row)),
  );
  expect(at(first)).toBe('6 added $.rows[4].keys[1]');
  expect(first?.reasons[0]).toMatch(/^The step read more: /);
});

describe('values of numbered entries that come one after the other', () => {
  const names = claims.map(({ id }) => id);
  const filled = (of: number, wrong?: string): State => ({
    hours: Object.fromEntries(
      names.map((name, nth) => [name, nth >= of ? null : name === wrong ? 4_735 : (GRANTED[nth] ?? 0)]),
    ),
    messages: names
      .slice(0, of)
      .map((name, nth) => ({ role: 'tool', content: `${name}: logged ${GRANTED[nth]} hours so far` })),
  });

  it('are compared with each other', () => {
    const states = [0, 1, 2, 3, 4, 5, 6].map((of) => ({ n: of, ...filled(of, 'T-14') }));
    const [first] = suspects([...states, { ...states.at(-1), n: 7 }]);
    expect(at(first)).toBe('5 type-changed $.hours["T-14"]');
    expect(first?.reasons.join()).toContain('far outside the range of its');
  });

  it('are those of their own names', () => {
    const states = [0, 1, 2, 3, 4, 5, 6].map((of) => ({ n: of, ...filled(of) }));
    expect(reasons(suspects([...states, { ...states.at(-1), n: 7 }]))).not.toContain('of another entry');
  });
});

it('takes a journal of calls and answers for what is read, though others name its calls', () => {
  const answers: Record<string, object> = {};
  const used: object[] = [];
  const written: Row[] = [];
  const states: State[] = [{ n: 0, toolbox: {}, used: [], rows: [] }];
  for (const [nth, row] of claims.entries()) {
    const call = `call#${nth}7f`;
    const params = nth % 3 === 0 ? { page: nth } : nth % 3 === 1 ? { file: row.id } : { after: { id: row.id } };
    answers[call] = {
      params,
      [nth % 2 === 0 ? 'answer' : 'body']: { [`part${nth % 3}`]: { id: row.id, refund: row['granted'] } },
    };
    used.push({ call });
    written.push(nth === 4 ? { id: row.id, refund: 37.95 } : asked(row));
    states.push({ n: nth + 1, toolbox: { ...answers }, used: [...used], rows: [...written] });
  }
  const [first] = suspects([...states, { ...states.at(-1), n: claims.length + 1 }]);
  expect(at(first)).toBe('6 added $.rows[4].refund');
});

it('takes entries in which nothing is filled in yet for no twins', () => {
  const fields = ['planned', 'started', 'finished', 'reviewed', 'signed', 'archived'];
  const blanks = (n: number): State => Object.fromEntries(fields.slice(0, n + 3).map((field) => [field, null]));
  const of = (n: number): State => ({ n, spent: { hours: blanks(n), files: blanks(n) } });
  expect(reasons(suspects([0, 1, 2, 3].map(of)))).not.toContain('The same entry is in the list already');
});

it('reads a list whose entries are told apart by their times, though the state has the same ones', () => {
  const reads: object[] = [];
  const written: Row[] = [];
  const states: State[] = [{ savedAt: '2026-03-01T09:00:00Z', reads: [], rows: [] }];
  for (const [nth, { id, granted }] of claims.entries()) {
    const time = `2026-03-01T09:${String(nth + 11)}:00Z`;
    reads.push({ at: time, source: 'ledger', body: `case: ${id}\nrefund: ${String(granted)}` });
    written.push({ id, refund: nth === 4 ? 37.95 : granted });
    states.push({ savedAt: time, reads: reads.slice(-4), rows: [...written] });
  }
  const [first] = suspects([...states, { ...states.at(-1), done: true }]);
  expect(at(first)).toBe('6 added $.rows[4].refund');
});

it('tells the later one of two entries that are the same', () => {
  const rows = claims.map(({ id, granted, claimed }) => ({ id, granted, claimed, state: 'open' }));
  const [first] = rows;
  const twice = [...rows.slice(0, 4), rows[1] ?? first, ...rows.slice(4)];
  const found = suspects([
    { n: 0, rows: [] },
    { n: 1, rows: twice },
    { n: 2, rows: twice },
  ]);
  const twins = found.filter((one) => one.reasons.join().includes('The same entry is in the list already'));
  expect(twins.map(({ path }) => path.replace(/\.\w+$/, ''))).toEqual(['$.rows[4]']);
});
