// @vitest-environment jsdom
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDrafts } from './draft.ts';

const PLACE = { location: '/store.db', task: 't', namespace: undefined, id: 'c', hash: 'h' };
const DRAFT = { text: '{"a":1.0}', reason: 'try it' };

/** A day without a second. */
const DAY_MS = 24 * 60 * 60 * 1000 - 1000;

beforeEach(() => localStorage.clear());

describe('drafts', () => {
  it('outlive the page, byte for byte', () => {
    const storage = localStorage;
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
    const storage = localStorage;
    const drafts = createDrafts(storage);
    drafts.keep(PLACE, DRAFT);
    const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    onTestFinished(() => full.mockRestore());
    expect(drafts.keep(PLACE, { ...DRAFT, text: `"${'x'.repeat(90)}"` })).toBe(false);
    expect(storage).toHaveLength(0);
    expect(drafts.read(PLACE)?.text).toHaveLength(92);
  });

  it('are nothing where what is stored is broken', () => {
    const storage = localStorage;
    createDrafts(storage).keep(PLACE, DRAFT);
    for (const key of Object.keys(storage)) storage.setItem(key, '{"text":1}');
    expect(createDrafts(storage).read(PLACE)).toBeUndefined();
  });

  it('are gone once dropped', () => {
    const storage = localStorage;
    const drafts = createDrafts(storage);
    drafts.keep(PLACE, DRAFT);
    drafts.drop(PLACE);
    expect(drafts.read(PLACE)).toBeUndefined();
    expect(storage).toHaveLength(0);
  });

  it('last a day, and are swept after it, also those that nobody asks for', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    createDrafts(localStorage).keep(PLACE, DRAFT);
    localStorage.setItem('checkpoint-inspector.theme', 'dark');
    vi.advanceTimersByTime(DAY_MS);
    createDrafts(localStorage).sweep();
    expect(createDrafts(localStorage).read(PLACE)).toEqual(DRAFT);
    vi.advanceTimersByTime(2000);
    expect(createDrafts(localStorage).read(PLACE)).toBeUndefined();
    createDrafts(localStorage).sweep();
    expect(Object.keys(localStorage)).toEqual(['checkpoint-inspector.theme']);
  });

  it('go with their store, those of others stay', () => {
    const drafts = createDrafts(localStorage);
    const other = { ...PLACE, location: '/store.db2' };
    for (const place of [PLACE, { ...PLACE, id: 'd' }, other]) drafts.keep(place, DRAFT);
    drafts.dropStore('/store.db');
    expect([drafts.read(PLACE), drafts.read(other)]).toEqual([undefined, DRAFT]);
    expect(localStorage).toHaveLength(1);
  });
});
