import { afterEach, describe, expect, it, vi } from 'vitest';
import { ids, table } from './table.ts';

afterEach(() => void vi.restoreAllMocks());

describe('large tables', () => {
  it('are laid out with the letters of each id split a few times, however long the ids are', () => {
    // Letters beyond ASCII, which differ in their middle only: no narrow width tells them apart.
    const rows = Array.from({ length: 500 }, (_, n) => [
      `${'ж'.repeat(60)}${String(n).padStart(4, '0')}${'ж'.repeat(60)}`,
    ]);
    const split = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    const lines = table([ids('ID')], rows, { width: 80, colours: false });
    expect(split.mock.calls.length).toBeLessThan(10 * rows.length);
    expect(new Set(lines).size).toBe(rows.length + 1);
  });

  it('may have 200,000 rows', () => {
    const rows = Array.from({ length: 200_000 }, (_, n) => [String(n)]);
    expect(table(['N'], rows)).toHaveLength(200_001);
  });
});
