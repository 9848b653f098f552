import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatAddress,
  formatRunAddress,
  idFromSegment,
  idToSegment,
  parseAddress,
  parseRunAddress,
  refKey,
  sameRef,
  storeId,
  storeIdFrom,
} from './ids.ts';

describe('store ids', () => {
  it('takes a-z, 0-9 and "-", and names what it refuses', () => {
    expect(storeId('prod-2')).toBe('prod-2');
    for (const text of ['', 'Prod', 'a b', 'a/b', 'é', 'a_b']) {
      expect(() => storeId(text)).toThrow(
        expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(text) }),
      );
    }
  });

  it.each([
    ['My DB.sqlite', 'my-db-sqlite'],
    ['.kaizen/checkpoints', 'kaizen-checkpoints'],
    ['北京', 'store'],
    ['', 'store'],
  ])('makes an id of the name "%s": %s', (name, id) => {
    expect(storeIdFrom(name)).toBe(id);
  });

  it('numbers an id that is taken', () => {
    const taken = new Set(['runs', 'runs-2']);
    expect(storeIdFrom('Runs', (id) => taken.has(id))).toBe('runs-3');
  });
});

describe('path segments', () => {
  it.each([
    ['', '~'],
    ['.', '~.'],
    ['..', '~..'],
    ['~a', '~~a'],
    ['a/b:c%', 'a%2Fb%3Ac%25'],
    ['ckpt_1', 'ckpt_1'],
  ])('writes "%s" as %s', (id, segment) => {
    expect(idToSegment(id)).toBe(segment);
    expect(idFromSegment(decodeURIComponent(segment))).toBe(id);
  });

  it('reads back any id, and never makes a segment that a URL would take away', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (id) => {
        const segment = idToSegment(id);
        expect(idFromSegment(decodeURIComponent(segment))).toBe(id);
        expect(new URL(`/a/${segment}/b`, 'http://x').pathname).toBe(`/a/${segment}/b`);
      }),
    );
  });
});

describe('addresses', () => {
  it('reads back any address, with and without a namespace', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(
        text,
        text,
        fc.option(fc.string({ unit: 'binary', minLength: 1 }), { nil: undefined }),
        (task, id, namespace) => {
          const address = { store: 'demo', task, ...(namespace === undefined ? {} : { namespace }), id };
          expect(parseAddress(formatAddress(address))).toEqual(address);
        },
      ),
    );
  });

  it.each(['demo', 'demo/a', 'demo/a/b/c/d', 'DEMO/a/b', 'demo/%E0%A4%A/b'])('refuses "%s"', (text) => {
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});

describe('addresses of runs', () => {
  it('are a task, or the checkpoint that a branch of it ends at', () => {
    const store = storeId('demo');
    for (const run of [
      { store, task: 'a/b' },
      { store, task: '', id: '' },
      { store, task: 't', namespace: 'n', id: '~' },
    ])
      expect(parseRunAddress(formatRunAddress(run))).toEqual(run);
  });

  it.each(['demo', 'DEMO/a', 'demo/%E0%A4%A', 'demo/a/b/c/d'])('"%s" is refused with the way to write one', (text) => {
    const remedy = expect.stringContaining('store/task');
    expect(() => parseRunAddress(text)).toThrow(expect.objectContaining({ code: 'invalid_input', remedy }));
  });
});

describe('refs', () => {
  it('are equal by task, namespace and id; no namespace is the empty one', () => {
    expect(sameRef({ task: 't', id: 'a' }, { task: 't', namespace: '', id: 'a' })).toBe(true);
    expect(sameRef({ task: 't', id: 'a' }, { task: 't', namespace: 'n', id: 'a' })).toBe(false);
    expect(sameRef({ task: 't', id: 'a' }, { task: 'u', id: 'a' })).toBe(false);
    expect(sameRef({ task: 't', id: 'a' }, { task: 't', id: 'b' })).toBe(false);
  });

  it('have one key each, whatever characters they hold', () => {
    const keys = [
      { task: 'a","b', id: 'c' },
      { task: 'a', namespace: 'b', id: 'c' },
      { task: 'a', id: 'b","c' },
    ].map(refKey);
    expect(new Set(keys).size).toBe(3);
    expect(refKey({ task: 'a', id: 'b' })).toBe(refKey({ task: 'a', namespace: '', id: 'b' }));
  });
});
