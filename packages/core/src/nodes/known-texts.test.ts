import { describe, expect, it } from 'vitest';
import { rngOf } from '../testing/rng.ts';
import { KnownTexts } from './known-texts.ts';
import { KIND, type NodeBody, refsIn, type SharedState } from './index.ts';
import { anyValue, changed } from './testing/grown.ts';
import { Rows } from './testing/rows.ts';

/** Reads a state as a store does: what is known isn't asked for. */
function reader(rows: Rows, texts: KnownTexts) {
  return ({ node, bytes }: SharedState): string => {
    const read = new Map<number, NodeBody>();
    for (let wanted = [node.id]; wanted.length > 0;) {
      const next = new Set<number>();
      for (const [id, one] of rows.find(wanted)) {
        read.set(id, one);
        for (const ref of refsIn(one.body)) if (!texts.has(ref) && !read.has(ref)) next.add(ref);
      }
      wanted = [...next];
    }
    return texts.textOf(read, node.id, bytes);
  };
}

describe('texts that are known', () => {
  it.each([64 * 1024 * 1024, 3_000])('make up every state again, holding %d bytes', (maxBytes) => {
    for (let run = 0; run < 150; run++) {
      const rng = rngOf('known', run);
      const rows = new Rows();
      const read = reader(rows, new KnownTexts(maxBytes));
      let value = { state: anyValue(rng), run };
      let state: SharedState | undefined;
      for (let step = 0; step < 6; step++) {
        state = rows.save(value, state);
        const text = JSON.stringify(value);
        expect([read(state), read(state)], `run ${run}`).toEqual([text, text]);
        value = { ...value, state: changed(rng, value.state) };
      }
    }
  });

  it('leave a few nodes to be read of a state beside one that was read', () => {
    const rows = new Rows();
    const texts = new KnownTexts();
    const read = reader(rows, texts);
    const messages = Array.from({ length: 2_000 }, (_, n) => ({ id: n, content: `${n} `.repeat(120) }));
    const first = rows.save({ messages });
    const second = rows.save({ messages: [...messages, { id: 2_000 }] }, first);
    read(first);
    rows.reads = 0;
    read(second);
    expect(rows.reads).toBeLessThan(12);
    texts.clear();
    rows.reads = 0;
    read(second);
    expect(rows.reads).toBeGreaterThan(2_000);
  });

  it('are held once, not again in each text that they are a part of', () => {
    const rows = new Rows();
    const messages = Array.from({ length: 500 }, (_, n) => ({ id: n, content: `${n} `.repeat(120) }));
    const state = rows.save({ channels: { messages } });
    const read = reader(rows, new KnownTexts(state.bytes * 1.5));
    read(state);
    rows.reads = 0;
    read(state);
    expect(rows.reads).toBe(1);
  });

  it.each([
    ['contains itself', [[1, '[\u001f1;]']]],
    ['doubles at every level', Array.from({ length: 60 }, (_, at) => [at + 1, `[\u001f${at + 2};,\u001f${at + 2};]`])],
    ['is torn', [[1, '[\u001f2']]],
  ] as const)('end as unreadable where a damaged state %s', (_, bodies) => {
    const nodes = new Map(bodies.map(([id, body]) => [Number(id), { kind: KIND.value, body: String(body) }]));
    nodes.set(61, { kind: KIND.value, body: '[]' });
    expect(() => new KnownTexts().textOf(nodes, 1, 50)).toThrow(expect.objectContaining({ code: 'unreadable' }));
  });
});
