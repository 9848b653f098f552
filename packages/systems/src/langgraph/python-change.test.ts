/** Changes of a store that Python wrote. Python itself is not run: what is written is held against another decoder. */
import { readFileSync } from 'node:fs';
import { decode, ExtensionCodec, ExtData } from '@msgpack/msgpack';
import { refOfMeta, type CheckpointMeta, type CheckpointRef } from '@checkpoint-inspector/core';
import { allPages } from '@checkpoint-inspector/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ThreadFacts } from './fixtures/facts.ts';
import { openPython, type TestStore } from './test-store.ts';

const facts = JSON.parse(readFileSync(new URL('./fixtures/py-facts.json', import.meta.url), 'utf8')) as {
  readonly threads: Readonly<Record<string, ThreadFacts>>;
};

let store: TestStore;
beforeEach(async () => {
  store = await openPython();
});
afterEach(() => store.close());

const codec = new ExtensionCodec();
const plain = (bytes: Uint8Array) =>
  decode(bytes, {
    useBigInt64: true,
    extensionCodec: codec,
    mapKeyConverter: (key) => String(key),
  }) as Record<string, unknown>;
const headOf = (task: string): CheckpointRef => ({ task, id: facts.threads[task]?.head.id ?? '' });
const rawOf = async (ref: CheckpointRef): Promise<Buffer> =>
  Buffer.from((await store.source.raw?.(ref)) ?? new Uint8Array());
const all = (task: string) =>
  allPages((cursor) => store.source.checkpoints(task, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) }));
const roots = async (task: string) => (await all(task)).filter((item) => item.namespace === undefined);

interface Columns {
  readonly parent_checkpoint_id: string | null;
  readonly type: string;
  readonly metadata: Buffer;
}
function columns({ task, id }: CheckpointRef): Columns {
  const sql = `SELECT parent_checkpoint_id, type, metadata FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?`;
  return store.database.prepare<Columns>(sql).get(task, id) ?? expect.fail(`no row ${id}`);
}
const metadataOf = (ref: CheckpointRef) =>
  JSON.parse(Buffer.from(columns(ref).metadata).toString('utf8')) as Record<string, unknown>;
const writesOn = ({ task, id }: CheckpointRef) =>
  store.database.prepare('SELECT 1 FROM writes WHERE thread_id = ? AND checkpoint_id = ?').all(task, id).length;

/** The bytes of a text after this key, at the top level: both are before the values. */
function textAfter(bytes: Buffer, key: string): readonly [start: number, end: number] {
  const at = bytes.indexOf(Buffer.from(`${key}\xd9`, 'latin1')) + key.length + 1;
  return [at + 1, at + 1 + (bytes[at] ?? 0)];
}

function changedPlaces(a: Buffer, b: Buffer): number[] {
  return Array.from(a.keys()).filter((at) => a[at] !== b[at]);
}

async function restored(item: CheckpointMeta) {
  const plan = await store.source.plan({ kind: 'restore', ref: refOfMeta(item) });
  const made = plan.view.latestAfter ?? expect.fail('no latest');
  return { plan, made, undo: await store.apply(plan) };
}

describe('restore in place', () => {
  test('of any checkpoint of any thread: the bytes of its id and time differ, and nothing else', async () => {
    for (const task of Object.keys(facts.threads)) {
      const items = await roots(task);
      for (const item of [items[0], items[Math.floor(items.length / 2)], items.at(-1)]) {
        if (item === undefined) continue;
        const before = store.dump();
        const state = await store.source.state(refOfMeta(item));
        const { made, undo } = await restored(item);
        const [source, copy] = [await rawOf(refOfMeta(item)), await rawOf(made)];
        expect(copy).toHaveLength(source.length);
        const spans = [textAfter(source, '\xa2id'), textAfter(source, '\xa2ts')];
        const isNamed = (at: number) => spans.some(([start, end]) => at >= start && at < end);
        expect(changedPlaces(source, copy).filter((at) => !isNamed(at))).toEqual([]);
        const { id, ts } = plain(copy);
        expect({ ...plain(copy), id: '', ts: '' }).toEqual({ ...plain(source), id: '', ts: '' });
        expect([id, ts]).toEqual([made.id, expect.stringMatching(/^\d{4}-[\d:T.-]{21}\+00:00$/)]);
        expect((await store.source.state(made))?.text).toBe(state?.text);
        await undo();
        expect(store.dump()).toBe(before);
      }
    }
  });

  test('the copy is what LangGraph makes: newest id, parent of the target, a step more, no writes', async () => {
    const [, , target] = (await roots('react-weather')).toReversed();
    if (!target) throw new Error('The thread has three checkpoints.');
    const ref = refOfMeta(target);
    expect(writesOn(ref)).toBeGreaterThan(0);
    const { made } = await restored(target);
    const ids = (await roots('react-weather')).map((item) => item.id);
    expect(ids.toSorted().at(-1)).toBe(made.id);
    expect(await store.source.latest('react-weather')).toMatchObject({ ref: made });
    const { parent_checkpoint_id: parent, type } = columns(made);
    expect([parent, type]).toEqual([target.parentId, 'msgpack']);
    const { source, step, restored_from: from, ...others } = metadataOf(made);
    expect([source, step, from]).toEqual(['fork', (target.stepIndex ?? 0) + 1, target.id]);
    expect(metadataOf(ref)).toMatchObject(others);
    expect(writesOn(made)).toBe(0);
    expect((await store.source.beside?.(made))?.next).toEqual((await store.source.beside?.(ref))?.next);
  });

  test('of a question: it is asked again, as the warning says', async () => {
    const [head] = await roots('hitl-waiting');
    if (!head) throw new Error('The thread has a head.');
    const { plan, made } = await restored(head);
    expect(plan.view.warnings.map(({ code }) => code)).toEqual(['already_latest', 'interrupt_asked_again']);
    expect(plan.view.next).toMatch(/^graph\.invoke\(None, \{"configurable": \{"thread_id": "hitl-waiting"\}\}\)$/);
    expect(await store.source.beside?.(made)).toMatchObject({ next: ['approval'], requests: [] });
  });

  test('of a delta thread: the copy has the messages that the target had, not its own writes once more', async () => {
    for (const item of await roots('delta-chat')) {
      const known = await store.source.state(refOfMeta(item));
      const { made, undo } = await restored(item);
      expect((await store.source.state(made))?.text).toBe(known?.text);
      await undo();
    }
  });
});

describe('into a new thread, and away', () => {
  test.each(['subgraph-waiting', 'subgraph-done', 'delta-chat', 'value-zoo'])(
    '%s: with its history all namespaces, byte for byte, and back',
    async (task) => {
      const before = store.dump();
      const plan = await store.source.plan({ kind: 'fork', ref: headOf(task), targetTask: 'copy', history: true });
      const undo = await store.apply(plan);
      const sql = `SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata FROM checkpoints WHERE thread_id = ? ORDER BY 1, 2`;
      const writes = `SELECT checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value FROM writes WHERE thread_id = ? ORDER BY 1, 2, 3, 4`;
      for (const one of [sql, writes]) {
        expect(store.database.prepare(one).all('copy')).toEqual(store.database.prepare(one).all(task));
      }
      const [was, is] = [
        await store.source.beside?.(headOf(task)),
        await store.source.beside?.({ ...headOf(task), task: 'copy' }),
      ];
      expect(is).toEqual(was);
      await undo();
      expect(store.dump()).toBe(before);
    },
  );

  test.each([
    ['subgraph-waiting', 2],
    ['subgraph-done', 1],
    ['delta-chat', 2],
    ['value-zoo', 1],
  ])('%s: alone a copy has the rows that LangGraph resumes it from, and reads the same', async (task, rows) => {
    const plan = await store.source.plan({ kind: 'restore', ref: headOf(task), targetTask: 'copy' });
    expect(plan.view.sidecar).toMatchObject([{ child: { task: 'copy' }, parent: { task } }]);
    const undo = await store.apply(plan);
    const copy = { ...headOf(task), task: 'copy' };
    const read = async (ref: CheckpointRef) => [
      (await store.source.state(ref))?.text,
      await store.source.beside?.(ref),
    ];
    expect(await read(copy)).toEqual(await read(headOf(task)));
    const items = await all('copy');
    expect(items).toHaveLength(rows);
    const here = new Set(items.map(({ id }) => id));
    expect(items.filter(({ parentId }) => parentId !== undefined && !here.has(parentId))).toEqual([]);
    await undo();
  });

  test('a fork of an older checkpoint has its question only, and with history what led to it', async () => {
    const asked = (await roots('hitl-resumed')).find(({ stepIndex }) => stepIndex === 1);
    if (!asked) throw new Error('The thread has this step.');
    const before = store.dump();
    const undo = await store.apply(await store.source.plan({ kind: 'fork', ref: refOfMeta(asked) }));
    const beside = await store.source.beside?.({ task: 'hitl-resumed-fork', id: asked.id });
    expect(beside).toMatchObject({ next: ['approval'], writes: [], requests: [{ from: 'approval' }] });
    expect(await all('hitl-resumed-fork')).toHaveLength(1);
    await undo();
    expect(store.dump()).toBe(before);
    await store.apply(await store.source.plan({ kind: 'fork', ref: refOfMeta(asked), history: true }));
    expect(await store.source.beside?.({ task: 'hitl-resumed-fork', id: asked.id })).toEqual(beside);
    expect(await all('hitl-resumed-fork')).toHaveLength(3);
  });

  test('a checkpoint in the middle is deleted with its writes, and its child hangs under its parent', async () => {
    const items = await roots('react-weather');
    const [child, gone] = [items[5], items[6]];
    if (!child || !gone) throw new Error('The thread is that long.');
    const before = store.dump();
    const bytes = await rawOf(refOfMeta(child));
    const undo = await store.apply(await store.source.plan({ kind: 'delete', refs: [refOfMeta(gone)] }));
    expect(columns(refOfMeta(child)).parent_checkpoint_id).toBe(gone.parentId);
    expect(writesOn(refOfMeta(gone))).toBe(0);
    expect(await rawOf(refOfMeta(child))).toEqual(bytes);
    await undo();
    expect(store.dump()).toBe(before);
  });

  test('a whole thread goes with its subgraphs and writes; a delta thread loses no ancestor', async () => {
    const before = store.dump();
    const refs = (await all('subgraph-waiting')).map(refOfMeta);
    const undo = await store.apply(await store.source.plan({ kind: 'delete', refs }));
    const left = `SELECT (SELECT count(*) FROM checkpoints WHERE thread_id = ?) + (SELECT count(*) FROM writes WHERE thread_id = ?) AS n`;
    expect(store.database.prepare(left).get('subgraph-waiting', 'subgraph-waiting')).toEqual({ n: 0 });
    await undo();
    expect(store.dump()).toBe(before);
    const middle = (await roots('delta-chat'))[10];
    if (!middle) throw new Error('The thread is that long.');
    await expect(store.source.plan({ kind: 'delete', refs: [refOfMeta(middle)] })).rejects.toThrow(/delta channels/);
  });
});

describe('edit', () => {
  const textOf = async (ref: CheckpointRef) => (await store.source.state(ref))?.text ?? '';

  test('a message and a list: the other channels keep their bytes, and the next version is given', async () => {
    const ref = headOf('react-second');
    const before = store.dump();
    const text = await textOf(ref);
    const changed = text.replace('"content":"', '"content":"Please: ');
    expect(changed).not.toBe(text);
    const plan = await store.source.plan({ kind: 'edit', ref, text: changed, reason: 'kinder' });
    const undo = await store.apply(plan);
    const made = plan.view.latestAfter ?? expect.fail('no latest');
    expect(await textOf(made)).toBe(changed);
    const [source, copy] = [plain(await rawOf(ref)), plain(await rawOf(made))];
    const message = (held: Record<string, unknown>, n: number): unknown => {
      const { messages } = held['channel_values'] as { messages: ExtData[] };
      return messages[n] && decode(messages[n].data as Uint8Array, { extensionCodec: codec });
    };
    const [module, name, fields, method] = message(source, 0) as [string, string, { content: string }, string];
    expect(message(copy, 0)).toEqual([module, name, { ...fields, content: `Please: ${fields.content}` }, method]);
    expect(message(copy, 1)).toEqual(message(source, 1));
    const versions = copy['channel_versions'] as Record<string, string>;
    const greatest = Object.values(versions).toSorted().at(-1);
    expect(versions['messages']).toBe(greatest);
    expect(greatest).toMatch(/^\d{32}\.0\.\d+$/);
    expect({ ...versions, messages: '' }).toEqual({ ...(source['channel_versions'] as object), messages: '' });
    expect(metadataOf(made)).toMatchObject({ source: 'update', edited_from: ref.id, edit_reason: 'kinder' });
    expect(columns(made).parent_checkpoint_id).toBe(ref.id);
    await undo();
    expect(store.dump()).toBe(before);
  });

  test('beside a secret: it stays what it was, in clear in the store and masked in the text', async () => {
    const ref = headOf('value-zoo');
    const text = (await textOf(ref)).replace('"uint64":18446744073709551615', '"uint64":18446744073709551614');
    const plan = await store.source.plan({ kind: 'edit', ref, text });
    await store.apply(plan);
    const made = plan.view.latestAfter ?? expect.fail('no latest');
    expect(await textOf(made)).toBe(text);
    const [source, copy] = [await rawOf(ref), await rawOf(made)];
    expect(copy.includes('hunter2')).toBe(true);
    const zoo = (bytes: Buffer) => (plain(bytes)['channel_values'] as { zoo: Record<string, unknown> }).zoo;
    expect(zoo(copy)).toEqual({ ...zoo(source), uint64: 18446744073709551614n });
  });

  test.each([
    ['"type":"human"', '"$type":"os.system"', 'a type that is not there'],
    ['"value":"3.1400"', '"value":"3.15"', 'a value that Python would have to understand'],
    ['"value":"**********"', '"value":"swordfish"', 'a secret'],
    ['"float":0.1', '"float":0.10', 'digits that Python writes otherwise'],
    ['"uint64":18446744073709551615', '"uint64":18446744073709551616', 'an integer of more than 64 bits'],
    ['"size":1,"base64":"aw=="', '"size":1,"base64":"ag=="', 'bytes'],
  ])('%s cannot become %s: %s is refused with its path', async (old, now) => {
    const ref = headOf('value-zoo');
    const text = await textOf(ref);
    expect(text).toContain(old);
    await expect(store.source.plan({ kind: 'edit', ref, text: text.replace(old, now) })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/written back exactly as Python's msgpack: at \$/),
    });
  });
});
