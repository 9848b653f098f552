import { InspectorError, MemoryStore, storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { openFixture } from '../testing/fixtures.ts';
import { explainGrowth, LIMITS } from './growth.ts';

const TASK = 'run';
const PLAN = ['search', 'read', 'compare', 'write', 'check', 'publish the report where all can read it'];

/** `1` to `n`: a plan that never changes, messages that become more. */
async function grown(n: number): Promise<MemoryStore> {
  const store = new MemoryStore({ id: storeId('memory') });
  for (let at = 1; at <= n; at++) {
    const messages = Array.from({ length: at }, (_, k) => `message ${k}`);
    await store.save({ task: TASK, id: String(at), text: JSON.stringify({ plan: PLAN, messages, n: at }) });
  }
  return store;
}

/** A store some of whose states can't be read. */
function broken(store: CheckpointSource, ids: readonly string[]): CheckpointSource {
  const state: CheckpointSource['state'] = (ref, options) => {
    if (ids.includes(ref.id)) throw new InspectorError('unreadable', 'The row is torn.');
    return store.state(ref, options);
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'state') return state;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('explainGrowth', () => {
  it('names what grows, what is the same again, and what keeping the newest would free', async () => {
    const store = await grown(12);
    const answer = await explainGrowth(store, TASK);
    const rows = (await store.checkpoints(TASK)).items.map(({ sizeBytes }) => sizeBytes);
    const total = rows.reduce((sum, one) => sum + one, 0);
    const plan = JSON.stringify(PLAN).length;
    expect(answer).toMatchObject({
      listed: { checkpoints: 12, bytes: total },
      states: { checkpoints: 12, bytes: total, repeatedBytes: 11 * plan },
      examined: { n: 12, of: 12, outside: { checkpoints: 0, bytes: 0 }, unread: { checkpoints: 0 }, gaps: [] },
      keeping: [
        { newest: 1, checkpoints: 11, bytes: total - (rows[0] ?? 0) },
        { newest: 10, checkpoints: 2, bytes: (rows[10] ?? 0) + (rows[11] ?? 0) },
      ],
    });
    expect(answer.states.entries).toMatchObject([
      { key: 'plan', bytes: 12 * plan, checkpoints: 12, values: 1 },
      { key: 'messages', checkpoints: 12, values: 12, repeatedBytes: 0 },
      { key: 'n', checkpoints: 12, values: 12 },
    ]);
    expect(answer).not.toHaveProperty('sharing');
    expect(answer).not.toHaveProperty('derived');
  });

  it('passes on why deleting frees less, where checkpoints share what they store', async () => {
    const store = await grown(2);
    const sharing = 'Checkpoints share their values.';
    const source: CheckpointSource = Object.create(store, { info: { value: { ...store.info, sharing } } });
    // Its private fields are the store's own.
    source.checkpoints = (...asked) => store.checkpoints(...asked);
    source.state = (...asked) => store.state(...asked);
    source.tasks = async (...asked) => {
      const page = await store.tasks(...asked);
      return { ...page, items: page.items.map((task) => ({ ...task, sizeBytes: 30 })) };
    };
    const answer = await explainGrowth(source, TASK);
    expect(answer).toMatchObject({ sharing, keeping: [{ newest: 1, checkpoints: 1 }, {}] });
    // Each shared value once.
    expect([answer.listed.bytes, answer.keeping[0]?.bytes]).toEqual([30, 30]);
  });

  it('counts and names what it could not read', async () => {
    const answer = await explainGrowth(broken(await grown(6), ['2', '5']), TASK);
    expect(answer.examined).toMatchObject({
      n: 4,
      of: 6,
      unread: { checkpoints: 2 },
      gaps: [
        { ref: { id: '5' }, reason: 'The row is torn.' },
        { ref: { id: '2' }, reason: 'The row is torn.' },
      ],
    });
    expect(answer.states.checkpoints).toBe(4);
    expect(answer.keeping[0]?.checkpoints).toBe(5);
  });

  it.each([
    ['steps', { steps: 4 }, 4],
    ['bytes', { bytes: 900 }, undefined],
  ])('reads the newest within the limit of %s, and says what is beyond', async (_name, limit, n) => {
    const store = await grown(20);
    const { examined, states, listed } = await explainGrowth(store, TASK, { limits: { ...LIMITS, ...limit } });
    const left = (await store.checkpoints(TASK)).items.slice(examined.n).map(({ sizeBytes }) => sizeBytes);
    if (n !== undefined) expect(examined.n).toBe(n);
    else expect(states.bytes).toBeLessThanOrEqual(900);
    expect(examined.n).toBeGreaterThan(0);
    expect(examined.outside).toEqual({ checkpoints: left.length, bytes: left.reduce((sum, one) => sum + one, 0) });
    expect(examined.outside.checkpoints + examined.n).toBe(listed.checkpoints);
  });

  it('leaves states out that are too large, and reads older ones', async () => {
    const store = await grown(3);
    await store.save({ task: TASK, id: '4', text: JSON.stringify({ big: 'x'.repeat(5_000) }) });
    const { examined, states } = await explainGrowth(store, TASK, { limits: { ...LIMITS, stateBytes: 4_000 } });
    expect(examined).toMatchObject({ n: 3, unread: { checkpoints: 1 }, gaps: [{ ref: { id: '4' } }] });
    expect(states.entries.map(({ key }) => key)).not.toContain('big');
  });

  it('masks a secret that someone has used as a key', async () => {
    const store = new MemoryStore({ id: storeId('memory') });
    const secret = `sk-proj-${'a1B2'.repeat(12)}`;
    await store.save({ task: TASK, id: '1', text: JSON.stringify({ [secret]: 1 }) });
    expect(JSON.stringify(await explainGrowth(store, TASK))).not.toContain(secret);
  });

  it('lists a hundred entries at most, and puts the others into the rest', async () => {
    const store = new MemoryStore({ id: storeId('memory') });
    const state = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`k${at}`, at]));
    await store.save({ task: TASK, id: '1', text: JSON.stringify(state) });
    const { states } = await explainGrowth(store, TASK);
    expect(states.entries).toHaveLength(100);
    expect(states.rest.entries).toBe(30);
  });

  it('refuses an unknown task, and ends where the caller has left', async () => {
    const store = await grown(2);
    await expect(explainGrowth(store, 'nobody')).rejects.toMatchObject({ code: 'not_found' });
    const signal = AbortSignal.abort(new Error('left'));
    await expect(explainGrowth(store, TASK, { signal })).rejects.toThrow('left');
  });

  it.each(['js', 'py'])('explains the channels of a LangGraph store that %s wrote', async (by) => {
    const source = await openFixture(`langgraph/fixtures/${by}.sqlite`);
    const tasks = (await source.tasks({ limit: 100 })).items.filter(({ checkpointCount }) => checkpointCount > 3);
    expect(tasks).not.toEqual([]);
    for (const { id, checkpointCount } of tasks) {
      const { states, examined, derived, listed } = await explainGrowth(source, id);
      expect(examined.n + examined.unread.checkpoints).toBe(checkpointCount);
      expect(listed.checkpoints).toBe(checkpointCount);
      expect(states.entries.reduce((sum, { bytes }) => sum + bytes, 0) + states.frameBytes).toBe(states.bytes);
      if (by === 'py' && examined.n > 0) expect(derived).toMatch(/msgpack/);
    }
  });
});
