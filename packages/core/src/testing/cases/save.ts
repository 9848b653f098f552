import { expect } from 'vitest';
import type { NewCheckpoint } from '../../contract.ts';
import { sha256Hex } from '../../hash.ts';
import { toJsonText } from '../../json/index.ts';
import { allPages, checkpoint, collect } from '../builders.ts';
import { allCheckpoints, allTasks, contents } from '../listing.ts';
import type { Case } from '../run.ts';
import { BAD_INPUT, MISSPELT_FIELDS, MISSPELT_OPTIONS, STRANGE_IDS, TEXTS } from '../samples.ts';
import type { StoreContext } from '../store-context.ts';

/** What `JSON.stringify` drops, or writes as something else. */
const NOT_JSON: readonly unknown[] = [
  new Map([['a', 1]]),
  new Set([1]),
  new Error('boom'),
  /a/,
  new Date(0),
  new URL('http://localhost'),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  () => 1,
  new Uint8Array([1]),
  [undefined],
  { toJSON: () => 'told' },
  { [Symbol('a')]: 1 },
  new (class Own {
    a = 1;
  })(),
];

function thrownBy(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  throw new Error('Nothing was refused.');
}

export const saveCases: readonly Case<StoreContext>[] = [
  {
    name: 'save: the text comes back byte for byte, with its revision',
    run: async ({ open }) => {
      const { store } = await open();
      for (const [at, text] of TEXTS.entries()) {
        const ref = { task: 't', id: `cp-${at}` };
        const meta = await store.save({ ...ref, text });
        expect(await store.state(ref)).toMatchObject({ text, revision: meta.revision });
        expect(await sha256Hex((await store.raw?.(ref)) ?? text)).toBe(await sha256Hex(text));
      }
      expect('polluted' in {}).toBe(false);
    },
  },
  {
    name: 'save: a value comes back as its JSON text, and may change at once afterwards',
    run: async ({ open }) => {
      const { store } = await open();
      const value = { '1': -0, é: [1n, 2 ** 60, '\ud800'], ['__proto__']: { a: undefined } };
      const text = toJsonText(value);
      const saved = store.save({ task: 't', id: 'a', value });
      Object.assign(value, { é: 'changed' });
      const meta = await saved;
      expect(meta.sizeBytes).toBe(new TextEncoder().encode(text).length);
      expect(await store.state({ task: 't', id: 'a' })).toMatchObject({ text, revision: meta.revision });
    },
  },
  {
    name: 'save: a value that JSON cannot hold, or beside a text, or neither, is invalid_input and leaves nothing behind',
    run: async ({ open }) => {
      const { store } = await open();
      const loop: unknown[] = [];
      loop.push(loop);
      for (const value of [undefined, Symbol('a'), loop, ...NOT_JSON]) {
        for (const state of [value, { a: 1, list: ['x', { value }] }]) {
          if (value === undefined && state !== undefined) continue;
          const refused = thrownBy(() => toJsonText(state));
          const saved = store.save({ task: 't', id: 'a', value: state });
          await expect(saved).rejects.toMatchObject({
            code: 'invalid_input',
            message: refused,
            data: { path: expect.stringMatching(/^\$/) as string },
          });
        }
      }
      const both = { ...checkpoint('t', 'a'), value: 1 };
      await expect(store.save(both)).rejects.toMatchObject({ code: 'invalid_input' });
      const neither: object = { task: 't', id: 'a' };
      await expect(store.save(neither as NewCheckpoint)).rejects.toThrow('Give the state as text or as value.');
      expect(await allTasks(store)).toEqual([]);
    },
  },
  {
    name: 'save: a value that is nested deeply comes back whole',
    run: async ({ open }) => {
      const { store } = await open();
      let deep: unknown = 1;
      for (let n = 0; n < 3_000; n++) deep = [deep];
      await store.save({ task: 't', id: 'cp', value: { deep } });
      expect((await store.state({ task: 't', id: 'cp' }))?.text).toBe(JSON.stringify({ deep }));
    },
  },
  {
    name: 'save: what a getter throws is the cause of an invalid_input',
    run: async ({ open }) => {
      const { store } = await open();
      const cause = new TypeError('no connection');
      const fails = () => {
        throw cause;
      };
      const failing = Object.defineProperty({}, 'a', { get: fails, enumerable: true });
      for (const value of [failing, [failing]]) {
        const saved = store.save({ task: 't', id: 'a', value });
        const message = 'Reading the state failed: no connection';
        await expect(saved).rejects.toMatchObject({ code: 'invalid_input', message, cause });
      }
      expect(await allTasks(store)).toEqual([]);
    },
  },
  {
    name: 'save: values that grow, shrink and share are each kept as they were',
    run: async ({ open }) => {
      const { store } = await open();
      const messages: object[] = [];
      const texts: string[] = [];
      for (let n = 0; n < 40; n++) {
        if (n % 9 === 8) messages.splice(3, 4);
        else messages.push({ n, text: 'word '.repeat(n * 5) });
        const state = { messages, n };
        texts.push(JSON.stringify(state));
        await store.save({ task: 't', id: `c${n}`, value: state });
      }
      for (const [n, text] of texts.entries()) expect((await store.state({ task: 't', id: `c${n}` }))?.text).toBe(text);
    },
  },
  {
    name: 'save: a state of 5 MB comes back whole',
    run: async ({ open }) => {
      const { store } = await open();
      const text = JSON.stringify({
        items: Array.from({ length: 50_000 }, (_, at) => ({ at, words: 'é'.repeat(40) })),
      });
      expect(new TextEncoder().encode(text).length).toBeGreaterThan(5_000_000);
      const meta = await store.save({ task: 't', id: 'big', text });
      expect(meta.sizeBytes).toBeGreaterThan(0);
      expect(await sha256Hex((await store.state({ task: 't', id: 'big' }))?.text ?? '')).toBe(await sha256Hex(text));
    },
  },
  {
    name: 'save: ids of any characters are kept apart, as checkpoints and as tasks',
    run: async ({ open }) => {
      const { store } = await open();
      for (const id of STRANGE_IDS) {
        await store.save(checkpoint('strange ids', id));
        await store.save(checkpoint(id, 'in a strange task'));
      }
      expect((await allCheckpoints(store, 'strange ids')).map((meta) => meta.id)).toEqual(STRANGE_IDS.toReversed());
      expect(new Set((await allTasks(store)).map((task) => task.id))).toEqual(new Set(['strange ids', ...STRANGE_IDS]));
      for (const id of STRANGE_IDS) {
        expect((await store.state({ task: 'strange ids', id }))?.text).toBe(checkpoint('strange ids', id).text);
        expect(await allCheckpoints(store, id)).toHaveLength(1);
        expect((await store.latest(id)).ref).toEqual({ task: id, id: 'in a strange task' });
        expect(await store.find(id)).toEqual([{ task: 'strange ids', id }]);
      }
    },
  },
  {
    name: 'save: another text under the same id has another revision',
    run: async ({ open }) => {
      const { store } = await open();
      const saved = [];
      for (const text of ['{"n":1}', '{"n":1.0}', '{"n":2}']) {
        await store.save({ task: 't', id: 'a', text });
        saved.push((await store.state({ task: 't', id: 'a' }))?.revision);
      }
      expect(new Set(saved).size).toBe(3);
    },
  },
  {
    name: 'save: one id in two tasks is two checkpoints; find gives the one saved last first',
    run: async ({ open }) => {
      const { store } = await open();
      await store.save(checkpoint('one', 'same'));
      await store.save(checkpoint('two', 'same'));
      expect(await store.find('same')).toEqual([
        { task: 'two', id: 'same' },
        { task: 'one', id: 'same' },
      ]);
      expect(await store.remove({ task: 'two', id: 'same' })).toBe(true);
      expect((await store.state({ task: 'one', id: 'same' }))?.text).toBe(checkpoint('one', 'same').text);
    },
  },
  {
    name: 'save: what was given comes back in the list, as the save itself answered',
    run: async ({ open }) => {
      const { store } = await open();
      const given: NewCheckpoint = {
        ...checkpoint('t', 'a', {
          stepIndex: 0,
          totalSteps: 9,
          trigger: 'error',
          status: 'failed',
          description: 'boom 💥',
        }),
        agentId: 'agent',
        durationMs: 12.5,
        tokenUsage: 3,
        costUsd: 0.004,
        createdAt: '2026-01-31T10:00:00.123Z',
      };
      const saved = await store.save(given);
      const { id, task, text, ...fields } = given;
      expect(saved).toMatchObject({
        ...fields,
        id,
        taskId: task,
        seq: 1,
        isLatest: true,
        timeBasis: 'utc',
        lineage: 'none',
      });
      expect(saved.sizeBytes).toBeGreaterThanOrEqual(text.length);
      expect(await allCheckpoints(store, 't')).toEqual([saved]);
      expect((await allTasks(store))[0]).toMatchObject({ status: 'failed', lastError: 'boom 💥', agentId: 'agent' });
    },
  },
  {
    name: 'save: the latest is the one saved last, whatever its time says (S65)',
    run: async ({ open }) => {
      const { store } = await open();
      const times = ['2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z', '2020-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
      for (const [at, createdAt] of times.entries()) await store.save(checkpoint('t', `cp-${at}`, { createdAt }));
      expect((await allCheckpoints(store, 't')).map((meta) => meta.id)).toEqual(['cp-3', 'cp-2', 'cp-1', 'cp-0']);
      expect((await store.latest('t')).ref?.id).toBe('cp-3');
    },
  },
  {
    name: 'save: an existing id is replaced in place and keeps its place',
    run: async ({ open }) => {
      const { store } = await open();
      for (const id of ['a', 'b']) await store.save(checkpoint('t', id));
      const replaced = await store.save(checkpoint('t', 'a', { text: '{"new": true}' }));
      expect(replaced).toMatchObject({ seq: 1, isLatest: false });
      expect((await store.state({ task: 't', id: 'a' }))?.text).toBe('{"new": true}');
      expect((await allCheckpoints(store, 't')).map((meta) => meta.id)).toEqual(['b', 'a']);
    },
  },
  {
    name: 'save: ifExists refuse keeps what is there, and says changed',
    run: async ({ open }) => {
      const { store } = await open();
      await store.save(checkpoint('t', 'a'), { ifExists: 'refuse' });
      const before = await contents(store);
      const again = store.save(checkpoint('t', 'a', { text: '1' }), { ifExists: 'refuse' });
      await expect(again).rejects.toMatchObject({
        code: 'changed',
        message: 'Checkpoint "a" of task "t" already exists.',
        remedy: expect.stringContaining('another id'),
        data: { task: 't', id: 'a' },
      });
      expect(await contents(store)).toEqual(before);
    },
  },
  {
    name: 'save: what cannot be kept is invalid_input and leaves nothing behind',
    run: async ({ open }) => {
      const { store } = await open();
      for (const more of BAD_INPUT) {
        const saved = store.save(checkpoint('t', 'a', more));
        await expect(saved, JSON.stringify(more)).rejects.toMatchObject({ code: 'invalid_input' });
      }
      expect(await allTasks(store)).toEqual([]);
    },
  },
  {
    name: 'save: a misspelt option, field or value is invalid_input and names the nearest one',
    run: async ({ open }) => {
      const { store } = await open();
      await store.save(checkpoint('t', 'a'));
      const before = await contents(store);
      for (const [nearest, options] of MISSPELT_OPTIONS) {
        const again = store.save(checkpoint('t', 'a', { text: '1' }), options);
        await expect(again, nearest).rejects.toMatchObject({ code: 'invalid_input', data: { nearest } });
      }
      for (const [nearest, more] of MISSPELT_FIELDS) {
        const saved = store.save({ ...checkpoint('t', 'b'), ...more });
        await expect(saved, nearest).rejects.toMatchObject({ code: 'invalid_input', data: { nearest } });
      }
      const write = { run: 'r', index: 0, channel: 'c', text: '1' };
      for (const options of [{ ifExist: 'keep' }, { ifExists: 'keeep' }]) {
        const saved = store.saveWrites({ task: 't', id: 'a' }, [write], options as object);
        await expect(saved).rejects.toMatchObject({ code: 'invalid_input' });
      }
      expect(await contents(store)).toEqual(before);
    },
  },
  {
    name: 'save: the object that was given may change at once afterwards',
    run: async ({ open }) => {
      const { store } = await open();
      const given = { ...checkpoint('t', 'a'), parent: { task: 't', id: 'root' } };
      const saved = store.save(given);
      Object.assign(given, { id: 'b', task: 'other', text: '0' });
      given.parent.id = 'changed';
      await saved;
      expect((await store.state({ task: 't', id: 'a' }))?.text).toBe(checkpoint('t', 'a').text);
      expect((await allCheckpoints(store, 't'))[0]?.parentId).toBe('root');
    },
  },
  {
    name: 'save: a given parent is recorded, also over a later save without one; else the save before is inferred',
    run: async ({ open }) => {
      const { store } = await open();
      for (const id of ['a', 'b']) await store.save(checkpoint('t', id));
      await store.save(checkpoint('t', 'c', { parent: { task: 't', id: 'a' } }));
      await store.save(checkpoint('t', 'c', { text: '1' }));
      await store.save(checkpoint('t', 'd', { parent: { task: 'other', id: 'z' } }));
      const rows = await collect(store.lineage('t'));
      expect(rows.map(({ parent, kind }) => [parent?.task, parent?.id, kind])).toEqual([
        [undefined, undefined, 'none'],
        ['t', 'a', 'inferred'],
        ['t', 'a', 'recorded'],
        ['other', 'z', 'recorded'],
      ]);
      const [last] = await allCheckpoints(store, 't');
      expect(last).toMatchObject({ parentId: 'z', parentTaskId: 'other' });
    },
  },
  {
    name: 'save: many at once are all kept, in the order of the calls',
    run: async ({ open }) => {
      const { store } = await open();
      const ids = Array.from({ length: 60 }, (_, at) => `cp-${at}`);
      await Promise.all(
        ids.map((id, at) => store.save(checkpoint('t', id, { text: `"${'x'.repeat((60 - at) * 1000)}"` }))),
      );
      expect((await allCheckpoints(store, 't')).map((meta) => meta.id)).toEqual(ids.toReversed());
    },
  },
  {
    name: 'checkpoints: around a checkpoint that isn’t in the task is not_found',
    run: async ({ open }) => {
      const { store } = await open();
      await store.save(checkpoint('t', 'a'));
      await store.save(checkpoint('other', 'b'));
      for (const around of [
        { task: 't', id: 'b' },
        { task: 'other', id: 'b' },
        { task: 'other', id: 'a' },
        { task: 't', namespace: 'sub', id: 'a' },
      ]) {
        const page = store.checkpoints('t', { around });
        await expect(page, JSON.stringify(around)).rejects.toMatchObject({
          code: 'not_found',
          message: `No checkpoint "${around.id}" in task "t".`,
        });
      }
    },
  },
  {
    name: 'checkpoints: a page goes on where it was, though checkpoints come and go meanwhile',
    run: async ({ open }) => {
      const { store } = await open();
      const ids = Array.from({ length: 250 }, (_, at) => `cp-${at}`);
      for (const id of ids) await store.save(checkpoint('t', id));
      let pages = 0;
      const metas = await allPages(async (cursor) => {
        const page = await store.checkpoints('t', cursor === undefined ? {} : { cursor });
        await store.save(checkpoint('t', `later-${pages++}`));
        await store.remove({ task: 't', id: page.items.at(-1)?.id ?? '' });
        return page;
      });
      expect(pages).toBe(3);
      expect(metas.map((meta) => meta.id)).toEqual(ids.toReversed());
    },
  },
];
