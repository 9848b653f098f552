import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportsOf } from './exports.ts';

const TYPES = resolve(import.meta.dirname, '../dist/types');
const stored = JSON.parse(readFileSync(join(import.meta.dirname, 'exported-names.json'), 'utf8')) as Record<
  string,
  string[]
>;

describe.each(Object.keys(stored))('checkpoint-inspector/%s', (entry) => {
  const found = exportsOf(join(TYPES, `${entry}.d.ts`));

  it('exports the names that are stored, so that none is added or lost unseen', () => {
    expect(found.map(({ name }) => name).toSorted()).toEqual(stored[entry]);
  });

  it('says of each name what it is', () => {
    expect(found.filter(({ doc }) => doc.trim() === '').map(({ name }) => name)).toEqual([]);
  });

  it('shows each value, and in the main entry each type, by an example', () => {
    const shown = found.filter(({ isType }) => !isType || ['index', 'core'].includes(entry));
    expect(shown.filter(({ doc }) => !doc.includes('@example')).map(({ name }) => name)).toEqual([]);
  });
});
