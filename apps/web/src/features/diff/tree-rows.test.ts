import { diffJson, parseJson } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { containersOf, treeOrder, treeRows } from './tree-rows.ts';
import { nearest } from './ranking.ts';

function drawn(
  before: string,
  after: string,
  options: { closed?: readonly string[]; all?: boolean; blind?: true } = {},
) {
  const { items } = diffJson(before, after);
  const state = options.blind ? undefined : { text: after, root: parseJson(after) };
  return treeRows(items, { state, closed: new Set(options.closed), all: options.all ?? false }).map((row) => {
    const indent = '  '.repeat(row.depth);
    if (row.kind === 'container') return `${indent}${row.label} ${row.changes}`;
    if (row.kind === 'fold') return `${indent}${row.equal} equal`;
    return row.kind === 'equal' ? `${indent}= ${row.label} ${row.text}` : `${indent}${row.item.kind} ${row.label}`;
  });
}

const BEFORE = '{"a":{"x":1,"y":2,"z":3},"b":[1,2,3],"c":{"d":true},"e":0}';
const AFTER = '{"a":{"x":1,"y":5,"z":3},"b":[1,3],"c":{"d":true},"n":1}';

describe('changes as a tree', () => {
  it('are under their containers, and what is equal beside them is a count', () => {
    expect(drawn(BEFORE, AFTER)).toEqual([
      'a 1',
      '  changed y',
      '  2 equal',
      'b 1',
      '  removed [1]',
      '  2 equal',
      'removed e',
      'added n',
      '1 equal',
    ]);
  });

  it('closes a container, and opens a fold', () => {
    expect(drawn(BEFORE, AFTER, { closed: ['$.a', 'equal $'] })).toEqual([
      'a 1',
      'b 1',
      '  removed [1]',
      '  2 equal',
      'removed e',
      'added n',
      '1 equal',
      '= c {"d":true}',
    ]);
  });

  it('shows all values where they are asked for, and no counts without the state', () => {
    expect(drawn(BEFORE, AFTER, { all: true })).toContain('  = x 1');
    expect(drawn(BEFORE, AFTER, { blind: true }).some((row) => row.endsWith('equal'))).toBe(false);
    expect(drawn('1', '2')).toEqual(['changed $']);
    expect(drawn('[{}]', '[{}]', { all: true })).toEqual(['1 equal', '= [0] {}']);
  });

  it('keeps odd keys', () => {
    expect(drawn('{"":{"a.b":1},"__proto__":{"_t":1}}', '{"":{"a.b":2},"__proto__":{"_t":2}}')).toEqual([
      '[""] 1',
      '  changed ["a.b"]',
      '__proto__ 1',
      '  changed _t',
    ]);
  });

  it('has one order for walking, and names what must be open', () => {
    const { items } = diffJson(BEFORE, AFTER);
    expect(treeOrder(items).map((item) => item.path)).toEqual(['$.a.y', '$.b[1]', '$.e', '$.n']);
    expect(containersOf('$.a.y')).toEqual(['$', '$.a']);
  });
});

describe('nearest', () => {
  const rows = ['$.a', '$.a.b', '$.c[1].d'];
  const at = (path: string): string | undefined => rows[nearest(rows, path, (row) => row)];
  it('is the row itself, else the closest around it, else the first in it', () => {
    expect(at('$.a')).toBe('$.a');
    expect(at('$.a.b.x')).toBe('$.a.b');
    expect(at('$.a.bc')).toBe('$.a');
    expect(at('$.c')).toBe('$.c[1].d');
    expect(at('$.x')).toBeUndefined();
  });
});
