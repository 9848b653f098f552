import { describe, expect, it } from 'vitest';
import { rngOf } from '../diagnosis/testing/rng.ts';
import { diffJson } from '../diff/index.ts';
import { diffNodes } from './diff.ts';
import { valuesOf } from './index.ts';
import { anyValue, changed } from './testing/grown.ts';
import { Rows } from './testing/rows.ts';

const message = (n: number) => ({ id: `m${n}`, role: 'user', content: `${n} `.repeat(150) });
const state = (length: number) => ({
  memory: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`key ${n}`, `value ${n}`])),
  messages: Array.from({ length }, (_, n) => message(n)),
});

async function compared(before: unknown, after: unknown, ignore: readonly string[] = []) {
  const rows = new Rows();
  const old = rows.save(before);
  const now = rows.save(after, old);
  const diff = await diffNodes(old.node.id, now.node.id, rows.find, { ignore });
  return { diff, texts: [rows.text(old), rows.text(now)] as const, reads: rows.reads };
}

describe('a comparison of stored states', () => {
  it('says the same as that of their texts', async () => {
    for (let run = 0; run < 100; run++) {
      const rng = rngOf('diff of nodes', run);
      const before = { state: anyValue(rng), more: anyValue(rng) };
      const after = { ...before, state: changed(rng, changed(rng, before.state)) };
      const { diff, texts } = await compared(before, after);
      const { equal: _equal, ...whole } = diffJson(...texts);
      expect(diff, `run ${run}`).toEqual(whole);
    }
  });

  const { memory, messages } = state(2_000);
  it.each([
    ['an appended message', { memory, messages: [...messages, message(9)] }],
    ['an inserted one', { memory, messages: [message(-1), ...messages] }],
    ['one taken out', { memory, messages: messages.toSpliced(700, 1) }],
    ['a word in a message', { memory, messages: messages.with(1_500, { ...message(1_500), content: 'other' }) }],
    ['entries of the memory', { memory: { ...memory, 'key 5': 1, new: 2 }, messages }],
    ['nothing', { memory, messages }],
    ['a key that is gone', { messages }],
    ['another kind of value', { memory: messages, messages: memory }],
  ])('names %s', async (_, after) => {
    const { diff, texts } = await compared({ memory, messages }, after);
    const { equal: _equal, ...whole } = diffJson(...texts);
    expect(diff).toEqual(whole);
  });

  it('reads what changed, whatever is beside it', async () => {
    const reads = async (length: number): Promise<number> => {
      const before = state(length);
      const after = {
        ...before,
        messages: [...before.messages, message(-1)],
        memory: { ...before.memory, 'key 9': 0 },
      };
      const rows = new Rows();
      const old = rows.save(before);
      const now = rows.save(after, old);
      rows.reads = 0;
      expect((await diffNodes(old.node.id, now.node.id, rows.find)).items).toHaveLength(2);
      return rows.reads;
    };
    expect(await reads(100)).toBeLessThan(25);
    expect(await reads(20_000)).toBeLessThan(60);
  });

  it('counts what the ignore rules hide, and tells numbers by their text', async () => {
    const before = valuesOf('{"a":1.0,"b":{"id":1,"t":2}}');
    const after = valuesOf('{"a":1,"b":{"id":1,"t":3}}');
    const { diff } = await compared(before, after, ['$.b.t']);
    expect(diff.items).toEqual([{ path: '$.a', kind: 'changed', before: '1.0', after: '1' }]);
    expect(diff.ignored).toEqual([{ rule: '$.b.t', count: 1 }]);
  });

  it('says which part is missing', async () => {
    await expect(diffNodes(1, 2, () => new Map())).rejects.toMatchObject({ code: 'unreadable' });
  });
});
