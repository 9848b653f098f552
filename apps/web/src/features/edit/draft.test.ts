import { describe, expect, it } from 'vitest';
import { createDrafts } from './draft.ts';

const PLACE = { location: '/store.db', task: 't', namespace: undefined, id: 'c', hash: 'h' };
const DRAFT = { text: '{"a":1.0}', reason: 'try it' };

function shelf(room = Number.POSITIVE_INFINITY) {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > room) throw new DOMException('full', 'QuotaExceededError');
      kept.set(key, value);
    },
    removeItem: (key: string) => void kept.delete(key),
  };
}

describe('drafts', () => {
  it('outlive the page, byte for byte', () => {
    const storage = shelf();
    expect(createDrafts(storage).keep(PLACE, DRAFT)).toBe(true);
    expect(createDrafts(storage).read(PLACE)).toEqual(DRAFT);
    expect(createDrafts(storage).read({ ...PLACE, hash: 'other' })).toBeUndefined();
  });

  it('stay in memory where nothing may be stored', () => {
    const drafts = createDrafts();
    expect(drafts.keep(PLACE, DRAFT)).toBe(false);
    expect(drafts.read(PLACE)).toEqual(DRAFT);
    expect(createDrafts().read(PLACE)).toBeUndefined();
  });

  it('say so when there is no room, and leave no older draft behind', () => {
    const storage = shelf(40);
    const drafts = createDrafts(storage);
    drafts.keep(PLACE, DRAFT);
    expect(drafts.keep(PLACE, { ...DRAFT, text: `"${'x'.repeat(90)}"` })).toBe(false);
    expect(storage.kept.size).toBe(0);
    expect(drafts.read(PLACE)?.text).toHaveLength(92);
  });

  it('are nothing where what is stored is broken', () => {
    const storage = { ...shelf(), getItem: () => '{"text":1}' };
    expect(createDrafts(storage).read(PLACE)).toBeUndefined();
  });

  it('are gone once dropped', () => {
    const storage = shelf();
    const drafts = createDrafts(storage);
    drafts.keep(PLACE, DRAFT);
    drafts.drop(PLACE);
    expect(drafts.read(PLACE)).toBeUndefined();
    expect(storage.kept.size).toBe(0);
  });
});
