import { MemoryStore, storeId, type CheckpointStatus } from '@checkpoint-inspector/core';
import { plantedCase, type CaseStep } from '@checkpoint-inspector/core/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { explain } from './explain.ts';

interface Step {
  readonly state: object;
  readonly status?: CheckpointStatus;
  readonly description?: string;
}

const memory = (): MemoryStore => new MemoryStore({ id: storeId('m') });

async function save(store: MemoryStore, task: string, steps: readonly Step[], from?: string): Promise<void> {
  let parent = from;
  for (const [at, { state, ...step }] of steps.entries()) {
    const id = `${task}${from === undefined ? '' : '-fork'}-${at}`;
    const edge = parent === undefined ? {} : { parent: { task, id: parent } };
    await store.save({ task, id, text: JSON.stringify(state), stepIndex: at, status: 'running', ...step, ...edge });
    parent = id;
  }
}

async function saveCase(store: MemoryStore, task: string, steps: readonly CaseStep[]): Promise<void> {
  for (const { id, parent, text, status, description, error } of steps) {
    const edge = parent === undefined ? {} : { parent: { task, id: parent } };
    await store.save({ task, id, text, status, description: error ?? description ?? '', ...edge });
  }
}

const call = (id: string, name: string, args: object) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});
const answer = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
const ASKED = { role: 'user', content: 'Book a room in Riga.' };

/** Asks for a price, hears one, writes another. */
const BOOKING: readonly Step[] = [
  { state: { messages: [ASKED], order: { price: 0, city: 'Riga' } } },
  {
    state: {
      messages: [ASKED, call('1', 'search', {}), answer('1', 'price 122.50')],
      order: { price: 0, city: 'Riga' },
    },
  },
  {
    state: {
      messages: [ASKED, call('1', 'search', {}), answer('1', 'price 122.50')],
      order: { price: 350.25, city: 'Riga' },
    },
    description: 'book',
  },
  {
    state: {
      messages: [ASKED, call('1', 'search', {}), answer('1', 'price 122.50')],
      order: { price: 350.25, city: 'Riga' },
    },
    status: 'failed',
    description: 'order.price is 350.25, which is not what was agreed',
  },
];

describe('explain', () => {
  it('names the last writer of the path and the value in the error', async () => {
    const store = memory();
    await save(store, 't', BOOKING);
    const { named, writes } = await explain(store, { task: 't' });
    expect(named[0]).toMatchObject({ path: '$.order.price', ref: { id: 't-2' }, before: '0', after: '350.25' });
    expect(writes).toMatchObject([{ ref: { id: 't-2' }, path: '$.order.price', origin: { from: 'nowhere' } }]);
  });

  it('says where a value was heard, with the step in which it was', async () => {
    const store = memory();
    const heard = BOOKING.map(({ state, ...step }) => ({
      ...step,
      state: JSON.parse(JSON.stringify(state).replaceAll('350.25', '122.50')) as object,
    }));
    const texts = heard.map(({ state }) => JSON.stringify(state).replace('"price":122.5,', '"price":122.50,'));
    let parent: string | undefined;
    for (const [at, text] of texts.entries()) {
      const edge = parent === undefined ? {} : { parent: { task: 't', id: parent } };
      parent = `t-${at}`;
      await store.save({ task: 't', id: parent, text, status: at === 3 ? 'failed' : 'running', ...edge });
    }
    const [write] = (await explain(store, { task: 't' })).writes;
    expect(write?.origin).toMatchObject({ from: 'tool', name: 'search', ref: { id: 't-1' } });
  });

  it('says that only a conversation was saved, and blames nothing', async () => {
    const store = memory();
    const states = [1, 2, 3, 4].map((count) => ({ turn: count, messages: Array.from({ length: count }, () => ASKED) }));
    await save(store, 't', [...states.map((state) => ({ state })), { state: states[3] ?? {}, status: 'failed' }]);
    const { writes, named, unusual, note } = await explain(store, { task: 't' });
    expect([writes, named, unusual]).toEqual([[], [], []]);
    expect(note).toMatch(/conversation/);
  });

  it('takes the error that the failed step wrote, where its system tells none', async () => {
    const store = memory();
    const order = { price: 350.25 };
    const old = { error: 'of an older run', order };
    await save(store, 't', [
      { state: { error: old.error, order: { price: 0 } } },
      { state: old, description: 'add_line' },
      { state: { ...old, error: { message: 'order.price is too high' } }, status: 'failed', description: 'book' },
    ]);
    const { error, named } = await explain(store, { task: 't' });
    expect(error).toEqual({ message: 'order.price is too high', ref: { task: 't', id: 't-2' } });
    expect(named[0]).toMatchObject({ path: '$.order.price', ref: { id: 't-1' } });
    await save(store, 'silent', [
      { state: old },
      { state: { ...old, done: true }, status: 'failed', description: 'book' },
    ]);
    expect((await explain(store, { task: 'silent' })).error).toMatchObject({ message: 'book', unsaid: true });
  });

  it('names nothing by the name of a step, and says that one checkpoint has nothing to be compared with', async () => {
    const store = memory();
    const state = { phase: 'parse-failed', kind: 'parse' };
    await save(store, 't', [{ state: { kind: 'read' } }, { state, status: 'failed', description: 'parse-failed' }]);
    expect((await explain(store, { task: 't' })).named).toEqual([]);
    await save(store, 'one', [{ state, status: 'failed' }]);
    expect((await explain(store, { task: 'one' })).note).toMatch(/one checkpoint/);
  });

  it('counts a state that cannot be read as a gap, and goes past it', async () => {
    const store = memory();
    await save(store, 't', BOOKING);
    const state = store.state.bind(store);
    vi.spyOn(store, 'state').mockImplementation(async (ref, options) =>
      ref.id === 't-1' ? undefined : state(ref, options),
    );
    const { examined, writes } = await explain(store, { task: 't' });
    expect(examined).toMatchObject({ n: 3, of: 4, gaps: [{ ref: { id: 't-1' } }] });
    expect(writes).toHaveLength(1);
  });

  it('tells of a completed run with a failed check since when it has it, and from where to go on', async () => {
    const store = memory();
    const check = (passed: boolean) => ({ checks: [{ name: 'sum', passed }] });
    await save(store, 't', [
      { state: { fee: 1, ...check(true) } },
      { state: { fee: 2, ...check(false) } },
      { state: { fee: 2, done: true, ...check(false) }, status: 'completed' },
    ]);
    expect(await explain(store, { task: 't' })).toMatchObject({
      outcome: 'check_failed',
      kind: 'check_failed',
      error: { path: '$.checks[0]' },
      failingStep: { id: 't-1' },
      lastGood: { id: 't-0', back: 2 },
    });
  });

  it('says of a limit which call was made again and again', async () => {
    const store = memory();
    const again = [1, 2, 3, 4].map((nth) => call(String(nth), 'count', { n: 1 }));
    await save(store, 't', [
      { state: { messages: [ASKED] } },
      { state: { messages: [ASKED, ...again] }, status: 'failed', description: 'Max turns (4) was exceeded' },
    ]);
    expect(await explain(store, { task: 't' })).toMatchObject({
      kind: 'gave_up',
      repeated: { call: 'count', args: '{"n":1}', times: 4 },
    });
  });
});

describe('against a good run', () => {
  const GOOD: readonly Step[] = [
    { state: { messages: [ASKED], order: { price: 0, city: 'Riga' } } },
    {
      state: {
        messages: [ASKED, call('7', 'search', {}), answer('7', 'price 122.50'), call('8', 'hold_room', { nights: 2 })],
        order: { price: 122.5, city: 'Riga' },
      },
      status: 'completed',
    },
  ];

  it('names values that differ with their writers in both, and the call that was never made', async () => {
    const store = memory();
    await save(store, 'good', GOOD);
    await save(store, 't', BOOKING);
    const { against } = await explain(store, { task: 't', against: { task: 'good' } });
    expect(against).toMatchObject({
      task: 'good',
      chosen: 'asked',
      differs: [
        {
          path: '$.order.price',
          here: { value: '350.25', ref: { id: 't-2' } },
          there: { value: '122.5', ref: { id: 'good-1' } },
        },
      ],
      missing: [{ call: 'hold_room', args: '{"nights":2}', ref: { id: 'good-1' } }],
    });
  });

  it('takes a branch of the same task that was completed', async () => {
    const store = memory();
    await save(store, 't', BOOKING);
    await save(store, 't', [{ state: { order: { price: 122.5, city: 'Riga' } }, status: 'completed' }], 't-1');
    const { against } = await explain(store, { task: 't', cp: 't-3' });
    expect([against?.chosen, against?.differs[0]?.path]).toEqual(['fork', '$.order.price']);
  });
});

it('finds the step that broke what was expected', async () => {
  const store = memory();
  await save(store, 't', BOOKING);
  const asked = async (path: string, value: string) =>
    (await explain(store, { task: 't', expect: { path, value } })).check;
  expect(await asked('$.order.price', '0')).toMatchObject({
    holds: false,
    firstBroken: { id: 't-2' },
    found: '350.25',
  });
  expect(await asked('$.order.price', '350.25')).toMatchObject({ holds: true });
  expect(await asked('$.order.city', '"Oslo"')).toMatchObject({ holds: false, never: true });
});

it('no unusual value, whatever it is, changes last good or the failing step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 999 }), fc.jsonValue(), async (seed, wrong) => {
      const facts = async (value: unknown) => {
        const store = memory();
        await saveCase(store, 't', plantedCase(seed, { wrong: value }).steps);
        const { outcome, kind, error, failingStep, lastGood } = await explain(store, { task: 't' });
        return { outcome, kind, error, failingStep, lastGood };
      };
      expect(await facts(wrong)).toEqual(await facts(undefined));
    }),
    { numRuns: 60 },
  );
});

it('is silent on runs without a fault', async () => {
  for (let seed = 0; seed < 50; seed++) {
    const store = memory();
    await saveCase(store, 't', plantedCase(seed, { ends: 'completed', wrong: 12.5 }).steps);
    const { outcome, unusual } = await explain(store, { task: 't' });
    expect([outcome, unusual]).toEqual(['completed', []]);
  }
});
