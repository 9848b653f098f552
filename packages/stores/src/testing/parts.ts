/** What both of our stores tell of stored states by their nodes alone: differences, parts, damage. */
import { diffJson, type PartRange, verifySource } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PostgresStore } from '../postgres/store.ts';
import type { SqliteStore } from '../sqlite/store.ts';

/** A store of its own for each test. */
export interface PartsPlace {
  readonly open: (options?: { readonly readOnly?: boolean }) => Promise<SqliteStore | PostgresStore>;
  /** Changes its tables past the store. */
  readonly run: (sql: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

const message = (n: number) => ({ id: `m${n}`, role: 'user', content: `${n} `.repeat(150) });
const messages = Array.from({ length: 400 }, (_, n) => message(n));
const ref = (id: string) => ({ task: 't', id });

export function describeParts(make: () => Promise<PartsPlace>): void {
  let place: PartsPlace;
  let store: SqliteStore | PostgresStore;
  beforeEach(async () => {
    place = await make();
    store = await place.open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });
  const save = (id: string, value: unknown) => store.save({ ...ref(id), value });
  const textOf = async (id: string) => (await store.state(ref(id)))?.text ?? '';

  describe('the differences between two states', () => {
    it('are known by their nodes, and are those of the texts', async () => {
      await save('a', { step: 1, updatedAt: 1, messages });
      await save('b', { step: 2, updatedAt: 2, messages: [...messages.slice(1), { id: 'new' }] });
      const options = { ignore: ['$.updatedAt'] };
      const diff = await store.diff(ref('a'), ref('b'), options);
      const texts = diffJson(await textOf('a'), await textOf('b'), options);
      expect(diff?.items).toEqual([
        { path: '$.step', kind: 'changed', before: '1', after: '2' },
        { path: '$.messages[0]', kind: 'removed', before: JSON.stringify(message(0)) },
        { path: '$.messages[399]', kind: 'added', after: '{"id":"new"}' },
      ]);
      expect(diff?.items).toEqual(texts.items);
      expect(diff?.ignored).toEqual([{ rule: '$.updatedAt', count: 1 }]);
      const [a, b] = [await store.state(ref('a')), await store.state(ref('b'))];
      expect(diff?.revisions).toEqual([a?.revision, b?.revision]);
    });

    it('are left to the texts where one is laid out in a way of its own, and where one is missing', async () => {
      await save('a', { step: 1 });
      await store.save({ ...ref('b'), text: '{ "step": 2 }' });
      expect(await store.diff(ref('a'), ref('b'))).toBeUndefined();
      expect(await store.diff(ref('b'), ref('a'))).toBeUndefined();
      expect(await store.diff(ref('a'), ref('none'))).toBeUndefined();
    });

    it('are left to the texts where too much differs', async () => {
      const many = Array.from({ length: 3_000 }, (_, n) => message(n));
      await save('a', { messages: many });
      await save('b', { messages: many.map(({ id }) => ({ id })) });
      expect(await store.diff(ref('a'), ref('b'))).toBeUndefined();
    });

    it('name the part that is missing', async () => {
      await save('a', { step: 1, messages });
      await save('b', { step: 2, messages });
      await place.run('DELETE FROM nodes WHERE id = (SELECT max(root) FROM checkpoints)');
      await expect(store.diff(ref('a'), ref('b'))).rejects.toMatchObject({ code: 'unreadable' });
    });
  });

  describe('a part of a state', () => {
    it('is read by its place, as the text has it, with the revision', async () => {
      await save('a', { step: 1, messages });
      const range = { offset: 200, limit: 3 };
      expect(await store.part(ref('a'), '$.messages', range)).toEqual({
        text: JSON.stringify(messages.slice(200, 203)),
        count: 400,
        revision: (await store.state(ref('a')))?.revision,
      });
      expect((await store.part(ref('a'), '$.messages[399].id'))?.text).toBe('"m399"');
      expect(await store.part(ref('none'), '$')).toBeUndefined();
      await expect(store.part(ref('a'), 'messages[')).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('is refused for a range that is misspelt, incomplete or negative', async () => {
      await save('a', { messages });
      const wrong: readonly [object, string][] = [
        [{ ofset: 1, limit: 2 }, 'ofset'],
        [{ limit: 2 }, 'offset'],
        [{ offset: 1, limit: 1.5 }, 'limit'],
        [{ offset: -1, limit: 2 }, 'offset'],
      ];
      for (const [range, key] of wrong) {
        const part = store.part(ref('a'), '$.messages', range as PartRange);
        await expect(part).rejects.toMatchObject({ code: 'invalid_input', data: { key } });
      }
    });
  });

  describe('damage', () => {
    const state = (n: number) => ({
      n,
      messages: Array.from({ length: n }, (_, at) => ({ at, text: `${at} `.repeat(150) })),
    });
    beforeEach(async () => {
      for (let n = 1; n <= 40; n++) await save(`c${n}`, state(n));
      await store.save({ ...ref('spaced'), text: '{ "a": 1.0 }' });
    });

    async function damaged(): Promise<(string | undefined)[]> {
      const reader = await place.open({ readOnly: true });
      const { findings, checkpoints } = await verifySource(reader);
      await reader.close();
      expect(checkpoints).toBe(41);
      expect(findings.every(({ kind }) => kind === 'damaged')).toBe(true);
      return findings.map(({ ref: found }) => found?.id).toSorted();
    }
    /** The node of the message that so many checkpoints have, by its contents. */
    const node = (at: number) => `body LIKE '{"at":${at},%' AND kind = 0`;
    const from = (n: number) => Array.from({ length: 41 - n }, (_, at) => `c${n + at}`).toSorted();

    it('is not found in a store that is whole', async () => {
      expect(await damaged()).toEqual([]);
    });

    it('of a text that was changed names every checkpoint, though each can still be read', async () => {
      await place.run(`UPDATE nodes SET body = replace(body, '30 30', '30 31') WHERE ${node(30)}`);
      expect(await damaged()).toEqual(from(31));
    });

    it('of a node that is missing names every checkpoint, once', async () => {
      await place.run(`DELETE FROM nodes WHERE ${node(35)}`);
      expect(await damaged()).toEqual(from(36));
    });

    it('is found in a checkpoint that was given the root of another, and in a text that was changed', async () => {
      await place.run("UPDATE checkpoints SET root = (SELECT root FROM checkpoints WHERE id = 'c2') WHERE id = 'c9'");
      await place.run(`UPDATE texts SET text = '{ "a": 1.5 }'`);
      expect(await damaged()).toEqual(['c9', 'spaced']);
    });
  });
}
