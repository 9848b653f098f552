import { afterEach, expect, test } from 'vitest';
import { langgraphRow, langgraphWrite } from './index.ts';
import { idAt, openRows, type TestStore } from './test-store.ts';

let store: TestStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

const human = (id: string, content = id) => ({ type: 'human', id, content });

/** A chain of checkpoints, each with one write to the channel; the state of the last one. */
async function stateAfter(writes: readonly unknown[], base?: unknown) {
  const rows = [...writes, undefined].map((_, n) => {
    const row = langgraphRow({
      thread: 't',
      id: idAt(n),
      ts: '2026-01-01T00:00:00Z',
      source: 'loop',
      step: n,
      values: n === 0 && base !== undefined ? { x: base, n } : { n },
      versions: { x: n + 1 },
      ...(n === 0 ? {} : { parent: idAt(n - 1) }),
    });
    const metadata = `{"source":"loop","step":${n},"parents":{},"counters_since_delta_snapshot":{"x":[1,${n}]}}`;
    return { ...row, metadata: new TextEncoder().encode(metadata) };
  });
  store = await openRows(
    rows,
    writes.map((value, n) => langgraphWrite({ thread: 't', id: idAt(n), taskId: 'a', idx: 0, channel: 'x', value })),
  );
  return store.source.state({ task: 't', id: idAt(writes.length) });
}

const valueOf = (text = '{}'): unknown => (JSON.parse(text) as { x?: unknown }).x;

test('messages: append, replace by id, remove one, remove all before', async () => {
  const state = await stateAfter([
    [human('a'), human('b')],
    human('c'),
    [human('a', 'new'), { type: 'remove', id: 'b' }],
    [{ type: 'remove', id: 'none' }],
  ]);
  expect(valueOf(state?.text)).toEqual([human('a', 'new'), human('c')]);
  expect(state?.derived).toBe('x: assembled from 4 writes on 4 ancestors, by the rules for messages');
  await store?.close();
  const cleared = await stateAfter([[human('a')], [human('b'), { type: 'remove', id: '__remove_all__' }, human('c')]]);
  expect(valueOf(cleared?.text)).toEqual([human('c')]);
});

test('a snapshot is where it starts; an Overwrite starts again', async () => {
  const snapshot = { lc: 2, type: 'delta_snapshot', value: [human('s')] };
  expect(valueOf((await stateAfter([[human('a')]], snapshot))?.text)).toEqual([human('s'), human('a')]);
  await store?.close();
  const state = await stateAfter([[human('a')], { __overwrite__: [human('o')] }, [human('b')]], snapshot);
  expect(valueOf(state?.text)).toEqual([human('o'), human('b')]);
  await store?.close();
  expect(valueOf((await stateAfter([[human('a')], { type: '__overwrite__', value: null }]))?.text)).toEqual([]);
});

test('another reducer is not guessed: the value and its writes are listed', async () => {
  const state = await stateAfter([{ a: 1 }, { b: 2 }], { start: 0 });
  expect(valueOf(state?.text)).toEqual({ stored: { start: 0 }, writes: [{ a: 1 }, { b: 2 }] });
  expect(state?.derived).toContain("its reducer isn't stored");
});

test('values come as stored, number by number', async () => {
  store = undefined;
  const state = await stateAfter([[{ ...human('a'), n: 1 }]]);
  const opened = store as TestStore | undefined;
  opened?.database
    .prepare('UPDATE writes SET value = ?')
    .run(Buffer.from('[{"type":"human","id":"a","content":"é","n":1.0,"big":18446744073709551615}]'));
  expect(state?.text).toBe('{"n":1,"x":[{"type":"human","id":"a","content":"a","n":1}]}');
  const now = await opened?.source.state({ task: 't', id: idAt(1) });
  expect(now?.text).toBe('{"n":1,"x":[{"type":"human","id":"a","content":"é","n":1.0,"big":18446744073709551615}]}');
});

test('a missing ancestor is said, a damaged one is an error, a circle ends', async () => {
  await stateAfter([[human('a')], [human('b')], [human('c')]]);
  const last = { task: 't', id: idAt(3) };
  store?.database.prepare('DELETE FROM checkpoints WHERE checkpoint_id = ?').run(idAt(1));
  const gap = await store?.source.state(last);
  expect(valueOf(gap?.text)).toEqual([human('c')]);
  expect(gap?.derived).toContain(`ancestor ${idAt(1)} is missing`);
  store?.database
    .prepare('UPDATE checkpoints SET parent_checkpoint_id = ? WHERE checkpoint_id = ?')
    .run(idAt(3), idAt(2));
  expect(valueOf((await store?.source.state(last))?.text)).toEqual([human('c')]);
  store?.database.prepare("UPDATE checkpoints SET checkpoint = x'7b' WHERE checkpoint_id = ?").run(idAt(2));
  await expect(store?.source.state(last)).rejects.toMatchObject({
    code: 'unreadable',
    message: expect.stringContaining(idAt(2)),
  });
});
