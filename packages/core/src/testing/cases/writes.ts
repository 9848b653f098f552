import { expect } from 'vitest';
import type { NewWrite } from '../../contract.ts';
import { decodeLineage, type LineageColumns, LineageEncoder } from '../../tree/index.ts';
import { checkpoint, collect, refOf } from '../builders.ts';
import { allCheckpoints, allTasks } from '../listing.ts';
import type { Case } from '../run.ts';
import type { OpenedStore, StoreContext } from '../store-context.ts';

const BESIDE = '{"versions": {"a": 1.0}, "next": ["ask", "send"]}';
const root = (id: string) => ({ task: 't', id });
const inner = (id: string) => ({ task: 't', namespace: 'sub:1', id });
const write = (run: string, index: number, more: Partial<NewWrite> = {}): NewWrite => {
  return { run, index, channel: 'log', text: `"${run} ${index}"`, ...more };
};
const U1 = '1f1e5add-7601-6fe1-8000-eb5c8d3739dd';
const U2 = '1f1e5add-7602-6fe1-8001-eb5c8d3739dd';
const U3 = '1f1e5add-7603-6fe1-8002-eb5c8d3739dd';

/** A thread of a framework: root checkpoints U1, U2, U3 and one of a part that started from U2. */
async function thread(open: StoreContext['open']): Promise<OpenedStore> {
  const opened = await open();
  const { store } = opened;
  const save = (id: string, parent?: string) =>
    store.save(checkpoint('t', id, { beside: BESIDE, ...(parent === undefined ? {} : { parent: root(parent) }) }));
  await save(U1);
  await save(U2, U1);
  await store.save(checkpoint('t', U2, { namespace: 'sub:1', beside: '{}', parent: root(U2) }));
  await save(U3, U2);
  for (const id of [U1, U2, U3]) await store.saveWrites(root(id), [write('r', 0), write('r', 1)]);
  await store.saveWrites(root(U2), [write('q', -3, { channel: '__interrupt__', text: '[{"id":"i","value":"ok?"}]' })]);
  await store.saveWrites(inner(U2), [write('s', 0)]);
  return opened;
}

const contentsOf = async ({ store }: OpenedStore, task: string) => {
  const rows = await collect(store.lineage(task));
  return Promise.all(rows.map(async ({ id, namespace = '' }) => store.load({ task, namespace, id })));
};

/** Namespaces, what is kept beside a state, and what steps wrote. */
export const writeCases: readonly Case<StoreContext>[] = [
  {
    name: 'namespace: one id in two namespaces is two checkpoints, and the latest is of the root',
    run: async ({ open }) => {
      const { store } = await open();
      await store.save({ ...root('a'), text: '1' });
      const saved = await store.save({ ...inner('a'), text: '2' });
      await store.save({ ...inner('b'), text: '3', parent: inner('a') });
      expect(saved).toMatchObject({ namespace: 'sub:1', isLatest: false, seq: 2 });
      expect([(await store.state(root('a')))?.text, (await store.state(inner('a')))?.text]).toEqual(['1', '2']);
      expect((await store.latest('t')).ref).toEqual(root('a'));
      expect((await allCheckpoints(store, 't')).map(refOf)).toEqual([root('a'), inner('b'), inner('a')]);
      expect((await allCheckpoints(store, 't')).map(({ lineage }) => lineage)).toEqual(['none', 'recorded', 'none']);
      expect(await store.find('a')).toEqual([inner('a'), root('a')]);
      expect((await store.checkpoints('t', { around: inner('a') })).items.map(refOf)).toContainEqual(inner('a'));
      expect((await allTasks(store))[0]).toMatchObject({ latestId: 'a', checkpointCount: 3 });
      expect(await store.remove(inner('a'))).toBe(true);
      expect((await store.state(root('a')))?.text).toBe('1');
    },
  },
  {
    name: 'namespace: pages put the latest first and give each checkpoint once',
    run: async ({ open }) => {
      const { store } = await open();
      for (const id of ['a', 'b']) await store.save({ ...root(id), text: '1' });
      for (const id of ['c', 'd', 'e']) await store.save({ ...inner(id), text: '1' });
      for (const limit of [1, 2, 3, 4]) {
        const seen: [string, number][] = [];
        let cursor: string | undefined;
        do {
          const page = await store.checkpoints('t', { limit, ...(cursor === undefined ? {} : { cursor }) });
          seen.push(...page.items.map(({ id, seq }): [string, number] => [id, seq]));
          cursor = page.cursor;
        } while (cursor !== undefined);
        expect(seen).toEqual([
          ['b', 2],
          ['e', 5],
          ['d', 4],
          ['c', 3],
          ['a', 1],
        ]);
      }
    },
  },
  {
    name: 'namespace: maxPerTask counts all of them and never takes the latest',
    run: async ({ open }) => {
      const { store } = await open({ maxPerTask: 2 });
      await store.save({ ...root('a'), text: '1' });
      await store.saveWrites(inner('b'), [write('r', 0)]);
      for (const id of ['b', 'c', 'd']) await store.save({ ...inner(id), text: '1' });
      expect((await allCheckpoints(store, 't')).map(({ id }) => id)).toEqual(['a', 'd']);
      await store.save({ ...inner('b'), text: '1' });
      expect((await store.load(inner('b')))?.writes).toEqual([]);
    },
  },
  {
    name: 'beside: comes back byte for byte, names what runs next, and goes with the state that it was saved with',
    run: async ({ open }) => {
      const { store } = await open();
      await store.save(checkpoint('t', 'a', { beside: BESIDE, parent: inner('z') }));
      expect(await store.load(root('a'))).toMatchObject({ beside: BESIDE, parent: inner('z'), writes: [] });
      expect((await store.load(root('a')))?.text).toBe(checkpoint('t', 'a').text);
      expect(await store.beside?.(root('a'))).toMatchObject({ next: ['ask', 'send'], requests: [] });
      await store.save(checkpoint('t', 'a'));
      expect(await store.load(root('a'))).not.toHaveProperty('beside');
      expect(await store.beside?.(root('a'))).toBeUndefined();
      await expect(store.save(checkpoint('t', 'b', { beside: '{' }))).rejects.toMatchObject({ code: 'invalid_input' });
      expect(await store.load(root('gone'))).toBeUndefined();
    },
  },
  {
    name: 'saveWrites: by path, run and index; replaced, or kept as they are; before their checkpoint too',
    run: async ({ open }) => {
      const { store } = await open();
      const texts = ['{"n": 1.0}', '"\\ud800"', '12345678901234567890'];
      await store.saveWrites(root('a'), [
        write('b', 1, { text: texts[0] ?? '', node: 'n' }),
        write('b', -1),
        write('a', 0, { path: 'z' }),
        write('\u{10000}', 0),
        write('\uffff', 0),
      ]);
      expect(await store.load(root('a'))).toBeUndefined();
      await store.saveWrites(root('a'), [write('b', 1, { text: texts[1] ?? '', node: 'n' })]);
      await store.saveWrites(root('a'), [write('b', 1), write('b', 2, { text: texts[2] ?? '' })], { ifExists: 'keep' });
      await store.save(checkpoint('t', 'a'));
      expect((await store.load(root('a')))?.writes).toEqual([
        write('b', -1),
        write('b', 1, { text: texts[1] ?? '', node: 'n' }),
        write('b', 2, { text: texts[2] ?? '' }),
        write('\uffff', 0),
        write('\u{10000}', 0),
        write('a', 0, { path: 'z' }),
      ]);
    },
  },
  {
    name: 'saveWrites: what cannot be kept is invalid_input, and none of them is kept',
    run: async ({ open }) => {
      const { store } = await open();
      await store.save(checkpoint('t', 'a'));
      for (const more of [{ text: '{' }, { index: 0.5 }, { channel: '\ud800' }]) {
        const saved = store.saveWrites(root('a'), [write('r', 0), write('r', 1, more)]);
        await expect(saved, JSON.stringify(more)).rejects.toMatchObject({ code: 'invalid_input' });
      }
      await expect(store.saveWrites(root(''), [])).rejects.toMatchObject({ code: 'invalid_input' });
      expect((await store.load(root('a')))?.writes).toEqual([]);
    },
  },
  {
    name: 'beside: errors and questions of steps are told, and tell how the checkpoint went',
    run: async ({ open }) => {
      const { store } = await open();
      const status = 'running';
      await store.save(checkpoint('t', 'a', { beside: BESIDE, status }));
      await store.saveWrites(root('a'), [
        write('1', -1, { channel: '__error__', text: '{"message":"stopped","name":"AbortError"}' }),
        write('2', -1, { channel: '__error__', text: '{"message":"no","name":"TypeError"}', node: 'ask' }),
      ]);
      expect(await store.meta(root('a'))).toMatchObject({ status: 'failed' });
      expect((await allTasks(store))[0]).toMatchObject({ status: 'failed', lastError: 'TypeError: no' });
      expect(await store.beside?.(root('a'))).toMatchObject({ error: 'TypeError: no', writes: [] });
      await store.save(checkpoint('t', 'b', { beside: BESIDE, status, parent: root('a') }));
      await store.saveWrites(root('b'), [
        write('1', 0, { node: 'send' }),
        write('2', -3, { channel: '__interrupt__', text: '[{"id":"i","value":{"n": 1.0}}]', node: 'ask' }),
      ]);
      expect(await store.beside?.(root('b'))).toEqual({
        requests: [{ id: 'i', text: '{"n": 1.0}', from: 'ask' }],
        writes: [{ taskId: '1', node: 'send', channel: 'log', text: '"1 0"', sizeBytes: 5 }],
        next: ['ask'],
      });
      expect((await collect(store.lineage('t'))).map((row) => row.status)).toEqual(['failed', 'interrupted']);
      await store.save(checkpoint('t', 'c', { beside: '{}', status: 'completed', parent: root('b') }));
      expect((await allCheckpoints(store, 't')).map((meta) => meta.status)).toEqual([
        'completed',
        'completed',
        'failed',
      ]);
    },
  },
  {
    name: 'saveWrites: an error fails a checkpoint without a framework, unless that says itself how it ended',
    run: async ({ open }) => {
      const { store } = await open();
      const error = write('r', 0, { channel: '__error__', text: '"ValueError: no rows"', node: 'load' });
      const statuses = ['running', 'pending', 'completed', 'failed', 'interrupted'] as const;
      for (const status of statuses) await store.save(checkpoint('t', status, { status }));
      await store.save(checkpoint('t', 'quiet', { status: 'running' }));
      for (const id of statuses) await store.saveWrites(root(id), [error]);
      const wanted = ['failed', 'failed', 'completed', 'failed', 'interrupted', 'running'];
      expect((await collect(store.lineage('t'))).map((row) => row.status)).toEqual(wanted);
      expect((await allCheckpoints(store, 't')).map(({ status }) => status)).toEqual(wanted.toReversed());
      const encoder = new LineageEncoder('t');
      for await (const part of store.lineageParts?.('t') ?? []) encoder.addPart(part);
      if (store.lineageParts) {
        const drawn = decodeLineage(JSON.parse(encoder.end()) as LineageColumns);
        expect(drawn.map((row) => row.status)).toEqual(wanted);
      }
      for (const id of statuses)
        expect((await store.beside?.(root(id)))?.own, id).toBe(id === 'failed' ? true : undefined);
      await store.save(checkpoint('u', 'a', { status: 'running' }));
      await store.saveWrites({ task: 'u', id: 'a' }, [error]);
      expect((await allTasks(store)).find(({ id }) => id === 'u')).toMatchObject({
        status: 'failed',
        lastError: 'ValueError: no rows',
      });
    },
  },
  {
    name: 'remove and removeTask: writes go with them, those of no checkpoint too',
    run: async ({ open }) => {
      const opened = await thread(open);
      const { store } = opened;
      await store.saveWrites(root('never saved'), [write('r', 0)]);
      await store.remove(root(U3));
      await store.save(checkpoint('t', U3));
      expect((await store.load(root(U3)))?.writes).toEqual([]);
      expect((await store.load(root(U2)))?.writes).toHaveLength(3);
      expect([await store.removeTask('t'), await store.removeTask('t')]).toEqual([4, 0]);
      await store.save(checkpoint('t', 'never saved'));
      expect((await store.load(root('never saved')))?.writes).toEqual([]);
    },
  },
  {
    name: 'restore: of a framework’s checkpoint hangs where its original does, newer than all, without its writes',
    run: async ({ open }) => {
      const opened = await thread(open);
      const { store } = opened;
      const before = await contentsOf(opened, 't');
      const plan = await store.plan({ kind: 'restore', ref: root(U2) });
      await opened.apply(plan);
      const { ref } = await store.latest('t');
      expect(ref).toEqual(plan.view.latestAfter);
      expect(ref && ref.id > U3).toBe(true);
      const copy = ref && (await store.load(ref));
      expect(copy).toMatchObject({ parent: root(U1), beside: BESIDE, writes: [], text: checkpoint('t', U2).text });
      expect((await contentsOf(opened, 't')).slice(0, 4)).toEqual(before);
      const first = await store.plan({ kind: 'restore', ref: root(U1) });
      await opened.apply(first);
      expect((await store.meta(first.view.latestAfter ?? root('')))?.lineage).toBe('none');
      await expect(store.plan({ kind: 'fork', ref: root(U1), id: 'mine' })).rejects.toMatchObject({
        code: 'invalid_input',
      });
      await expect(store.plan({ kind: 'restore', ref: inner(U2) })).rejects.toMatchObject({ code: 'unsupported' });
    },
  },
  {
    name: 'restore: to a new task takes what led to a framework’s checkpoint, all namespaces and writes',
    run: async ({ open }) => {
      const opened = await thread(open);
      const { store } = opened;
      const elsewhere = (saved: unknown) => JSON.parse(JSON.stringify(saved).replaceAll('"task":"t"', '"task":"new"'));
      await opened.apply(await store.plan({ kind: 'restore', ref: root(U3), targetTask: 'all' }));
      expect((await contentsOf(opened, 'all')).map((saved) => saved?.writes)).toEqual(
        (await contentsOf(opened, 't')).map((saved) => saved?.writes),
      );
      await opened.apply(await store.plan({ kind: 'fork', ref: root(U2), targetTask: 'new' }));
      const [first, second] = await contentsOf(opened, 't');
      const [firstCopy, secondCopy, ...more] = await contentsOf(opened, 'new');
      expect(firstCopy).toEqual(elsewhere(first));
      expect(secondCopy).toEqual(elsewhere({ ...second, writes: second?.writes.filter(({ index }) => index === -3) }));
      expect(more).toEqual([]);
      expect((await store.latest('new')).ref).toEqual({ task: 'new', id: U2 });
      const again = store.plan({ kind: 'fork', ref: root(U2), targetTask: 'new' });
      await expect(again).rejects.toMatchObject({ code: 'invalid_input' });
    },
  },
  {
    name: 'delete: of a framework’s checkpoints takes their writes, moves their children, and lets the step run again',
    run: async ({ open }) => {
      const opened = await thread(open);
      const { store } = opened;
      await opened.apply(await store.plan({ kind: 'delete', refs: [root(U1)] }));
      expect((await store.meta(root(U2)))?.lineage).toBe('none');
      await opened.apply(await store.plan({ kind: 'delete', refs: [root(U3)] }));
      expect((await store.load(root(U2)))?.writes).toEqual([]);
      expect((await store.load(inner(U2)))?.writes).toHaveLength(1);
      await store.save(checkpoint('t', U1));
      expect((await store.load(root(U1)))?.writes).toEqual([]);
    },
  },
  {
    name: 'plan: a state built from earlier writes is neither edited nor cut off from them',
    run: async ({ open }) => {
      const { store } = await open();
      const beside = '{"needsParents":true}';
      await store.save(checkpoint('t', U1, { beside }));
      await store.save(checkpoint('t', U2, { beside, parent: root(U1) }));
      await expect(store.plan({ kind: 'edit', ref: root(U2), text: '{}' })).rejects.toMatchObject({
        code: 'unsupported',
      });
      await expect(store.plan({ kind: 'delete', refs: [root(U1)] })).rejects.toMatchObject({ code: 'unsupported' });
      expect((await store.plan({ kind: 'delete', refs: [root(U1), root(U2)] })).view.removes.count).toBe(2);
    },
  },
  {
    name: 'undo: of each change to a framework’s thread brings everything back',
    run: async ({ open }) => {
      const opened = await thread(open);
      if (!opened.undo) throw new Error('No undo: skip this test where the engines prove it.');
      for (const request of [
        { kind: 'restore', ref: root(U1) },
        { kind: 'edit', ref: root(U2), text: '{"edited": 1.0}' },
        { kind: 'delete', refs: [root(U3), root(U1)] },
        { kind: 'fork', ref: root(U3), targetTask: 'copy' },
      ] as const) {
        const before = [await contentsOf(opened, 't'), await allCheckpoints(opened.store, 't')];
        await opened.apply(await opened.store.plan(request));
        await opened.undo();
        expect([await contentsOf(opened, 't'), await allCheckpoints(opened.store, 't')]).toEqual(before);
        expect(await opened.store.load({ task: 'copy', id: U1 })).toBeUndefined();
      }
    },
  },
];
