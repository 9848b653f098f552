/** Lists whose entries are lines of text. */
import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { asText, isLine, withLines } from './lines.ts';
import { readTree } from './read.ts';
import { stepsOf, type State } from './testing/written.ts';
import { at, reasons, suspects } from './testing/told.ts';

const LENGTHS = [14.01, 16.21, 6.78, 9.03, 14.57, 22.62, 17.84];
const names = ['Inês', 'Jürgen', 'Ainé', 'Tomáš', 'Inês', 'Ainé', 'Jürgen'];
const lineOf = (nth: number, tape: number | string): string =>
  `q${nth + 11} | reader=${names[nth]} | tape=${tape} | flag=ok`;
const book = LENGTHS.map((tape, nth) => lineOf(nth, tape));
const withLine = (nth: number, line: string): string[] => book.with(nth, line);

const itemsOf = (lines: readonly unknown[]) => {
  const list = readTree(JSON.stringify(lines));
  return list.kind === 'array' ? [...list.items] : [];
};

describe('a list of lines', () => {
  it('is one of entries where they are written alike', () => {
    const items = itemsOf(book);
    expect(items.every(isLine)).toBe(true);
    const [first] = items;
    expect(first?.kind === 'object' && first.members.map(({ key }) => key)).toEqual(['id', 'reader', 'tape', 'flag']);
    expect(withLines(items)).toEqual(items);
  });

  it.each([
    ['sentences', ['Nothing is paid twice.', 'Ask, then wait, then pay.', 'Close the list, and the book.']],
    ['a log', ['07:01 | INFO | read 3 rows', '07:02 | INFO | wrote 3 rows', '07:03 | WARN | slow']],
    ['other values', [1, 2, 3, 4]],
    ['few lines', book.slice(0, 2)],
  ])('is none of %s', (_what, lines) => {
    expect(itemsOf(lines).some(isLine)).toBe(false);
  });

  it('has lines of another form as texts', () => {
    const items = itemsOf(withLine(3, 'q14 is to be measured again.'));
    expect(items.map(isLine)).toEqual([true, true, true, false, true, true, true]);
    expect(items.map((item) => asText(item).kind)).toEqual(Array.from(items, () => 'string'));
  });

  it('has a line with a secret as a text: a part of it may not look like one', () => {
    const secret = `Bearer ${'a1B2'.repeat(8)}`;
    const items = itemsOf(withLine(3, `q14 | reader=Anna | tape=9.03 | flag=${secret}`));
    expect(items.map(isLine)).toEqual([true, true, true, false, true, true, true]);
  });

  it('may have lines with a field more at the end, or less', () => {
    const items = itemsOf(withLine(2, `${book[2]} | seen=yes`).with(4, 'q15 | reader=Inês | tape=14.57'));
    expect(items.every(isLine)).toBe(true);
  });
});

describe('a value in a line', () => {
  const damaged = withLine(3, lineOf(3, 90.3));
  const states: State[] = [
    { n: 0, book },
    { n: 1, book },
    { n: 2, book: damaged },
    { n: 3, book: damaged },
  ];

  it('is told with its line, as both are stored', () => {
    const [first] = suspects(states);
    expect(at(first)).toBe('3 changed $.book[3]');
    expect([first?.before, first?.after]).toEqual([book[3], damaged[3]].map((line) => JSON.stringify(line)));
    expect(first?.reasons.join()).toContain('10 times larger than before.');
  });

  it('is told as stored where that has escapes', () => {
    const escaped = stepsOf(states).map((step) => ({ ...step, text: step.text?.replaceAll('š', '\\u0161') ?? '' }));
    const [first] = suspectsOf(escaped, { error: 'the import was refused' });
    expect(first?.after).toBe('"q14 | reader=Tom\\u00e1\\u0161 | tape=90.3 | flag=ok"'.replace('\\u00e1', 'á'));
  });

  it('is told of a line that is new, and of one that came with a field more', () => {
    const sum = (nth: number): number => (LENGTHS[nth] ?? 0) * 2;
    const summed = book.map((line, nth) => `${line}; sum ${nth === 4 ? sum(nth) * 100 : sum(nth)}`);
    const [more] = suspects([{ book }, { book }, { book: summed }, { book: summed, n: 1 }]);
    expect(at(more)).toBe('3 changed $.book[4]');
    expect(more?.before).toBe(JSON.stringify(book[4]));
    const come = [...book, lineOf(7, 1722)];
    expect(at(suspects([{ book }, { book }, { book: come }, { book: come, n: 1 }])[0])).toBe('3 added $.book[7]');
  });

  it('is not told with the line of another entry, where none has a name', () => {
    const lines = ['oak', 'ash', 'oak', 'elm'].map((wood, nth) => `${wood} | length=${120 + nth} | width=${30 + nth}`);
    const more = ['fir | length=118 | width=3100', ...lines];
    const [first] = suspects([{ lines }, { lines, n: 1 }, { lines: more, n: 2 }, { lines: more, n: 3 }]);
    expect([at(first), first?.before]).toEqual(['3 added $.lines[0]', undefined]);
  });

  it('did not become a number where it was still open', () => {
    const open = book.map((_line, nth) => lineOf(nth, '?'));
    const filled = [{ book: open }, { book: open, n: 1 }, { book, n: 2 }, { book, n: 3 }];
    expect(reasons(suspects(filled))).not.toContain('became a number');
  });

  it('that was left as it was is told as such', () => {
    const done = book.map((line, nth) => (nth === 5 ? line : line.replace('ok', 'done')));
    const [first] = suspects([{ book }, { book, n: 1 }, { book: done, n: 2 }, { book: done, n: 3 }]);
    expect(at(first)).toBe('3 unchanged $.book[5]');
    expect([first?.before, first?.after]).toEqual([JSON.stringify(book[5]), JSON.stringify(book[5])]);
  });
});
