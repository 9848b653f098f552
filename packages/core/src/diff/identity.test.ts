import { describe, expect, it } from 'vitest';
import { Document } from './document.ts';
import type { Elements, Identities } from './identity.ts';
import { identify } from './identity.ts';

function elements(text: string): Elements {
  const document = new Document(text);
  return { document, items: document.root.kind === 'array' ? document.root.items : [] };
}

function idsOf(before: string, after: string, refused = ''): Identities | undefined {
  return identify(elements(before), elements(after), (path) => path.join('.') !== refused);
}

describe('identify', () => {
  it('takes ids of both sides', () => {
    const { before, after } = idsOf('[{"id":1},{"id":"1"}]', '[{"x":0,"id":"\\u0031"},{"id":"2"}]') ?? {};
    expect(after?.[0]).toBe(before?.[1]);
    expect(new Set([...(before ?? []), ...(after ?? [])]).size).toBe(3);
  });

  it('knows the ids of elements that were taken from the state before, wherever they have come to be', () => {
    const records = Array.from({ length: 30 }, (_, n) => `{"id":${n},"text":"record number ${n}"}`);
    const later = [
      ...records.slice(1, 9),
      '{"id":"new"}',
      ...records.slice(15),
      ...records.slice(0, 1),
      ...records.slice(9, 12),
    ];
    const before = new Document(`[${records.join(',')}]`);
    const after = new Document(`[${later.join(',')}]`, { before });
    const itemsOf = ({ root }: Document) => (root.kind === 'array' ? root.items : []);
    const ids = identify(
      { document: before, items: itemsOf(before) },
      { document: after, items: itemsOf(after) },
      () => true,
    );
    expect(later.map((record, at) => ids?.before.indexOf(ids.after[at]) === records.indexOf(record))).not.toContain(
      false,
    );
    const twice = new Document(`[${[...later, later[3]].join(',')}]`, { before });
    expect(
      identify({ document: before, items: itemsOf(before) }, { document: twice, items: itemsOf(twice) }, () => true),
    ).toBeUndefined();
  });

  it('leaves elements without id out', () => {
    expect(idsOf('[{"id":1},2,{"id":null},{"id":""}]', '[{"id":1}]')?.before).toEqual([
      '1',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('prefers what most elements carry, then the better name', () => {
    const both = '[{"id":1,"name":"a"},{"name":"b"}]';
    expect(idsOf(both, both)?.before).toEqual(['"a', '"b']);
    const { before, after } = idsOf('[{"name":"a","id":1}]', '[{"name":"a","id":2},{"name":"b","id":1}]') ?? {};
    expect(after?.[1]).toBe(before?.[0]);
  });

  it('finds ids inside kwargs', () => {
    const message = '[{"lc":1,"id":["HumanMessage"],"kwargs":{"id":"m1"}}]';
    expect(idsOf(message, message)?.after).toEqual(['"m1']);
  });

  it.each([
    ['[{"id":1},{"id":1}]', '[{"id":1}]'],
    ['[{"id":1}]', '[{"id":2},{"id":2}]'],
    ['[{"id":1,"id":2}]', '[{"id":1}]'],
    ['[{"id":[1]}]', '[{"id":[1]}]'],
    ['[{"id":1}]', '[{"x":1}]'],
    ['[1]', '[1]'],
    ['[]', '[]'],
  ])('takes none for %s and %s', (before, after) => {
    expect(idsOf(before, after)).toBeUndefined();
  });

  it('takes no place that is refused', () => {
    const state = '[{"id":1,"name":"a"}]';
    expect(idsOf(state, state, 'id')?.before).toEqual(['"a']);
  });
});
