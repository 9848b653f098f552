import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cellWidth, cutEnd, cutMiddle, statusColumn } from './table.ts';
import { ids, table, whole } from './table.ts';
import { terminalOf } from './terminal.ts';

const ROWS = Array.from({ length: 20 }, (_, n) => [
  n % 2 === 0 ? 'failed' : 'completed',
  `ckpt_000000000000000000000000000000${n.toString(16).padStart(4, '0')}00`,
  'the words of a long description, longer than any terminal that people have on their desks would show',
]);
const HEAD = [statusColumn('STATUS'), ids('ID'), 'WHAT'];

describe('tables on a terminal', () => {
  it('fit its width: ids are shortened in the middle and stay different', () => {
    const lines = table(HEAD, ROWS, { width: 60, colours: false });
    expect(Math.max(...lines.map(cellWidth))).toBeLessThanOrEqual(60);
    const shown = lines.slice(1).map((line) => line.split(/ {2,}/)[1]);
    expect(new Set(shown).size).toBe(ROWS.length);
    expect(shown[0]).toMatch(/^ckpt.*….*00$/);
  });

  it('are not cut in a pipe', () => {
    expect(table(HEAD, ROWS).join('\n')).toContain(ROWS[3]?.[1]);
    expect(table(HEAD, ROWS).join('\n')).toContain('on their desks would show');
  });

  it('leave whole what people copy whole', () => {
    const lines = table([whole('ADDRESS'), 'WHAT'], [['store/a-long-task-name/a-long-id-000000001', 'x'.repeat(80)]], {
      width: 60,
      colours: false,
    });
    expect(lines[1]).toContain('store/a-long-task-name/a-long-id-000000001');
    expect(lines[1]).toContain('…');
  });

  it('colour the status and nothing else', () => {
    const [head, first] = table(HEAD, ROWS.slice(0, 1), { colours: true });
    expect(first).toContain('\u001b[31mfailed');
    expect(stripVTControlCharacters(`${head}\n${first}`)).toBe(table(HEAD, ROWS.slice(0, 1)).join('\n'));
  });
});

describe('the width of a cell', () => {
  it('counts what a terminal shows', () => {
    expect([cellWidth('abc'), cellWidth('漢字'), cellWidth('✍️ ok'), cellWidth('агент')]).toEqual([3, 4, 5, 5]);
    expect(cutEnd('a long name', 7)).toBe('a long…');
    expect(cellWidth(cutEnd('漢字漢字', 4))).toBeLessThanOrEqual(4);
    expect(cutMiddle('ckpt_0000000010a1 (recorded)', 20)).toBe('ckpt…10a1 (recorded)');
  });
});

describe('the terminal', () => {
  const tty = { isTTY: true, columns: 90 };
  const pipe = { isTTY: false, columns: 0 };

  it.each([
    ['a terminal', tty, {}, { width: 90, colours: true }],
    ['a terminal with NO_COLOR', tty, { NO_COLOR: '1' }, { width: 90, colours: false }],
    ['a terminal that shows none', tty, { TERM: 'dumb' }, { width: 90, colours: false }],
    ['a pipe', pipe, {}, { colours: false }],
    ['a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, { colours: true }],
    ['FORCE_COLOR=0', tty, { FORCE_COLOR: '0' }, { width: 90, colours: false }],
  ])('%s', (_, stream, env, wanted) => expect(terminalOf(stream, env)).toEqual(wanted));
});
