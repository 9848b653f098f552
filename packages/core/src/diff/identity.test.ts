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
    expect(idsOf('[{"id":1},{"id":"1"}]', '[{"x":0,"id":"\\u0031"}]')).toEqual({
      before: ['number 1', 'string 1'],
      after: ['string 1'],
    });
  });

  it('leaves elements without id out', () => {
    expect(idsOf('[{"id":1},2,{"id":null},{"id":""}]', '[{"id":1}]')?.before).toEqual([
      'number 1',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('prefers what most elements carry, then the better name', () => {
    const both = '[{"id":1,"name":"a"},{"name":"b"}]';
    expect(idsOf(both, both)?.before).toEqual(['string a', 'string b']);
    const all = '[{"name":"a","id":1}]';
    expect(idsOf(all, all)?.before).toEqual(['number 1']);
  });

  it('finds ids inside kwargs', () => {
    const message = '[{"lc":1,"id":["HumanMessage"],"kwargs":{"id":"m1"}}]';
    expect(idsOf(message, message)?.after).toEqual(['string m1']);
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
    expect(idsOf(state, state, 'id')?.before).toEqual(['string a']);
  });
});
