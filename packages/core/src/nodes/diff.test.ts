import { describe, expect, it } from 'vitest';
import { rngOf } from '../testing/rng.ts';
import { diffJson } from '../diff/index.ts';
import { diffNodes } from './diff.ts';
import { answerNodes, answerNodesFrom, type SharedState, valuesOf } from './index.ts';
import { grownLists } from './testing/lists.ts';
import { anyValue, changed } from './testing/grown.ts';
import { Rows } from './testing/rows.ts';

const EVERYTHING = { reads: 1_000_000, characters: 1_000_000_000 };
const message = (n: number) => ({ id: `m${n}`, role: 'user', content: `${n} `.repeat(150) });
const state = (length: number) => ({
  memory: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`key ${n}`, `value ${n}`])),
  messages: Array.from({ length }, (_, n) => message(n)),
});

/** The first with the last of states that were saved one after the other. */
function compared(states: readonly unknown[], ignore: readonly string[] = []) {
  const rows = new Rows();
  const saved: SharedState[] = [];
  for (const state of states) saved.push(rows.save(state, saved.at(-1)));
  const [old = rows.save(0), now = old] = [saved[0], saved.at(-1)];
  const diff = answerNodes(diffNodes(old.node.id, now.node.id, { ignore }, EVERYTHING), rows.find);
  return { diff, texts: [rows.text(old), rows.text(now)] as const };
}

describe('a comparison of stored states', () => {
  it('says the same as that of their texts', async () => {
    for (let run = 0; run < 100; run++) {
      const rng = rngOf('diff of nodes', run);
      const before = { state: anyValue(rng), more: anyValue(rng) };
      const after = { ...before, state: changed(rng, changed(rng, before.state)) };
      const { diff, texts } = compared([before, after]);
      const { equal: _equal, ...whole } = diffJson(...texts);
      expect(diff, `run ${run}`).toEqual(whole);
    }
  });

  it('says the same of lists whose elements repeat, move, change, and are or seem to be identified', () => {
    for (let run = 0; run < 200; run++) {
      const rng = rngOf('diff of lists', run);
      const ignore = rng.chance(0.2) ? ['$.list.*.id'] : [];
      const { diff, texts } = compared(grownLists(rng), ignore);
      const { equal: _equal, ...whole } = diffJson(...texts, { ignore });
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
    const { diff, texts } = compared([{ memory, messages }, after]);
    const { equal: _equal, ...whole } = diffJson(...texts);
    expect(diff).toEqual(whole);
  });

  it('reads what changed, whatever is beside it', async () => {
    const reads = (length: number): number => {
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
      expect(answerNodes(diffNodes(old.node.id, now.node.id), rows.find)?.items).toHaveLength(2);
      return rows.reads;
    };
    expect(reads(100)).toBeLessThan(25);
    expect(reads(20_000)).toBeLessThan(60);
  });

  it('counts what the ignore rules hide, and tells numbers by their text', async () => {
    const before = valuesOf('{"a":1.0,"b":{"id":1,"t":2}}');
    const after = valuesOf('{"a":1,"b":{"id":1,"t":3}}');
    const { diff } = compared([before, after], ['$.b.t']);
    expect(diff?.items).toEqual([{ path: '$.a', kind: 'changed', before: '1.0', after: '1' }]);
    expect(diff?.ignored).toEqual([{ rule: '$.b.t', count: 1 }]);
  });

  it('leaves it to the texts where too much differs', () => {
    const rows = new Rows();
    const roots = [messages, messages.map(({ id }) => ({ id }))].map((value) => rows.save(value).node.id);
    const [old = 0, now = 0] = roots;
    rows.reads = 0;
    expect(answerNodes(diffNodes(old, now), rows.find)).toBeUndefined();
    expect(rows.reads).toBeLessThan(2_000);
    const few = { reads: 2_000, characters: 5_000 };
    expect(answerNodes(diffNodes(old, now, {}, few), rows.find)).toBeUndefined();
  });

  it('says which part is missing', async () => {
    const none = answerNodesFrom(diffNodes(1, 2), async () => new Map());
    await expect(none).rejects.toMatchObject({ code: 'unreadable' });
  });
});
