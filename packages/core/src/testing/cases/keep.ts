import { expect, vi } from 'vitest';
import { refusedEvictions } from '../../options.ts';
import { checkpoint } from '../builders.ts';
import { allCheckpoints, allTasks, contents } from '../listing.ts';
import type { Case } from '../run.ts';
import type { StoreContext } from '../store-context.ts';

/** Eviction, removal, notice and durability. */
export const keepCases: readonly Case<StoreContext>[] = [
  {
    name: 'maxPerTask: the oldest of the task goes with the save that exceeds it, other tasks stay',
    run: async ({ open }) => {
      const { store } = await open({ maxPerTask: 2 });
      await store.save(checkpoint('other', 'z'));
      for (const id of ['a', 'b', 'c']) await store.save(checkpoint('t', id));
      expect((await allCheckpoints(store, 't')).map((meta) => [meta.id, meta.seq])).toEqual([
        ['c', 2],
        ['b', 1],
      ]);
      expect(await store.find('a')).toEqual([]);
      expect(await allCheckpoints(store, 'other')).toHaveLength(1);
    },
  },
  {
    name: 'mayEvict: a save that would evict another checkpoint is refused, names all of them, and writes nothing',
    run: async ({ open }) => {
      const { store } = await open({ maxPerTask: 2 });
      for (const id of ['a', 'b']) await store.save(checkpoint('t', id));
      await store.saveWrites({ task: 't', id: 'a' }, [{ run: 'r', index: 0, channel: 'c', text: '1' }]);
      const before = await contents(store);
      expect(await store.evictedNext?.('t')).toEqual([{ task: 't', id: 'a' }]);
      expect(await store.evictedNext?.('u')).toEqual([]);
      const c = checkpoint('t', 'c', { text: '{"new": true}' });
      for (const mayEvict of [[], [{ task: 't', id: 'b' }], [{ task: 'other', id: 'a' }]]) {
        const refused = await store.save(c, { mayEvict }).catch((error: unknown) => error);
        expect(refusedEvictions(refused)).toEqual([{ task: 't', id: 'a' }]);
      }
      expect(await contents(store)).toEqual(before);
      await store.save(c, { mayEvict: [{ task: 't', id: 'a' }] });
      await store.save(checkpoint('u', 'z'), { mayEvict: [] });
      expect((await allCheckpoints(store, 't')).map(({ id }) => id)).toEqual(['c', 'b']);
    },
  },
  {
    name: 'maxPerTask: a checkpoint saved again is evicted as early as before',
    run: async ({ open }) => {
      const { store } = await open({ maxPerTask: 2 });
      for (const id of ['a', 'b', 'a', 'c']) await store.save(checkpoint('t', id));
      expect((await allCheckpoints(store, 't')).map((meta) => meta.id)).toEqual(['c', 'b']);
    },
  },
  {
    name: 'maxPerTask: is a positive whole number',
    run: async ({ open }) => {
      for (const maxPerTask of [0, -1, 1.5, Number.NaN]) {
        await expect(open({ maxPerTask })).rejects.toMatchObject({ code: 'invalid_input' });
      }
    },
  },
  {
    name: 'remove: takes that one and leaves the others; false when it is not there',
    run: async ({ open }) => {
      const { store } = await open();
      for (const id of ['a', 'b', 'c']) await store.save(checkpoint('t', id));
      expect(await store.remove({ task: 't', id: 'b' })).toBe(true);
      expect(await store.remove({ task: 't', id: 'b' })).toBe(false);
      expect(await store.remove({ task: 'no such task', id: 'a' })).toBe(false);
      expect(await store.remove({ task: 't', namespace: 'inner', id: 'a' })).toBe(false);
      expect((await allCheckpoints(store, 't')).map((meta) => [meta.id, meta.seq])).toEqual([
        ['c', 2],
        ['a', 1],
      ]);
    },
  },
  {
    name: 'remove: with the last checkpoint the task is gone',
    run: async ({ open }) => {
      const { store } = await open();
      await store.save(checkpoint('t', 'a'));
      await store.remove({ task: 't', id: 'a' });
      expect([await allTasks(store), await store.latest('t')]).toEqual([[], { basis: 'none' }]);
    },
  },
  {
    name: 'watch: tells of saves and removals with their task, until it is ended',
    run: async ({ open }) => {
      const { store } = await open();
      const seen: (string | undefined)[] = [];
      const unwatch = store.watch?.((change) => seen.push(change.task));
      expect(unwatch).toBeDefined();
      await store.save(checkpoint('t', 'a'));
      await vi.waitFor(() => expect(seen.some((task) => task === 't' || task === undefined)).toBe(true), {
        timeout: 10_000,
      });
      seen.length = 0;
      await store.remove({ task: 't', id: 'a' });
      await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0), { timeout: 10_000 });
      unwatch?.();
      seen.length = 0;
      await store.save(checkpoint('t', 'b'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(seen).toEqual([]);
    },
  },
  {
    name: 'reopen: a store that was closed reads the same, and goes on in the same order',
    run: async ({ open }) => {
      const { store, reopen } = await open();
      for (const id of ['b', 'a', 'c']) await store.save(checkpoint('t', id, { createdAt: '2026-01-01T00:00:00Z' }));
      const [content, list] = [await contents(store), await allCheckpoints(store, 't')];
      await store.close?.();
      const again = await reopen?.();
      if (!again) throw new Error('No reopen: skip this test where nothing outlives the store.');
      expect([await contents(again), await allCheckpoints(again, 't')]).toEqual([content, list]);
      await again.save(checkpoint('t', 'd'));
      expect((await again.latest('t')).ref?.id).toBe('d');
    },
  },
  {
    name: 'two writers: both see every save, none is lost or doubled, the limit holds',
    run: async ({ open }) => {
      const { store, reopen } = await open({ maxPerTask: 30 });
      const other = await reopen?.();
      if (!other) throw new Error('No reopen: skip this test where nothing outlives the store.');
      const saves = Array.from({ length: 40 }, (_, at) =>
        (at % 2 === 0 ? store : other).save(checkpoint('t', `cp-${at}`)),
      );
      const same = [store, other].map((writer, at) => writer.save(checkpoint('both', 'same', { text: `${at}` })));
      await Promise.all([...saves, ...same]);
      const list = await allCheckpoints(store, 't');
      expect(list).toHaveLength(30);
      expect(await allCheckpoints(other, 't')).toEqual(list);
      expect(await allCheckpoints(store, 'both')).toHaveLength(1);
    },
  },
];
