import { InspectorError, MemoryStore, parseJson, parsePath, storeId, valueAt } from '@checkpoint-inspector/core';
import type { CheckpointSource, NewCheckpoint } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { createStoreService } from '../stores/service.ts';
import { openFixture } from '../testing/fixtures.ts';
import { seededStore } from '../testing/seeded.ts';
import { listBranch } from './branch.ts';
import { diagnose, diagnoseBranch } from './diagnose.ts';
import { sentSuspect } from './sent.ts';
import { createDiagnoses } from './service.ts';

type Step = Partial<Omit<NewCheckpoint, 'task' | 'text' | 'id'>> & { readonly state: object; readonly after?: number };

const TASK = 'run';
const failed = { status: 'failed' } as const;
const completed = { status: 'completed' } as const;

/** `1`, `2`, …, each the child of the one before, or of `after`. */
async function runOf(steps: readonly Step[]): Promise<MemoryStore> {
  const store = new MemoryStore({ id: storeId('runs') });
  for (const [at, { state, after = at, ...rest }] of steps.entries()) {
    const parent = after === 0 ? {} : { parent: { task: TASK, id: String(after) } };
    await store.save({ task: TASK, id: String(at + 1), text: JSON.stringify(state), ...completed, ...parent, ...rest });
  }
  return store;
}

const figures = { north: 51, south: 42, west: 37 };
const wrong = { ...figures, south: 42_000 };
const ranking = ['south', 'north', 'west'];
const lastError = { message: 'the ranking contradicts the summary' };
const STORY: readonly Step[] = [
  { state: { figures: {} } },
  { state: { figures } },
  { state: { figures, retries: 1 } },
  { state: { figures: wrong, retries: 1 }, description: 'fetch' },
  { state: { figures: wrong, retries: 1, ranking } },
  { state: { figures: wrong, retries: 1, ranking, lastError }, ...failed, description: 'compile' },
];

/** Reads of a store, counted; some of them fail. */
function watched(store: CheckpointSource, broken: readonly string[] = []) {
  const read: string[] = [];
  const source = new Proxy(store, {
    get(target, name) {
      if (name === 'state')
        return (...[ref, options]: Parameters<CheckpointSource['state']>) => {
          read.push(ref.id);
          if (broken.includes(ref.id)) throw new InspectorError('unreadable', 'The row is torn.');
          return target.state(ref, options);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { source, read };
}

it('asks for a few states more while it works on one, each once and in order', async () => {
  const steps = Array.from({ length: 20 }, (_step, n): Step => ({ state: { n }, ...(n === 19 ? failed : completed) }));
  const store = await runOf(steps);
  const { source, read } = watched(store);
  let most = 0;
  let open = 0;
  const slow = new Proxy(source, {
    get: (target, name) =>
      name === 'state'
        ? async (...args: Parameters<CheckpointSource['state']>) => {
            most = Math.max(most, (open += 1));
            const state = await target.state(...args);
            open -= 1;
            return state;
          }
        : Reflect.get(target, name, target),
  });
  await diagnose(slow, { task: TASK });
  expect(read).toEqual(steps.map((_step, n) => String(n + 1)));
  expect(most).toBe(5);
});

describe('a failed run', () => {
  it('names the error, the step, the suspect, and the last good checkpoint before the suspect', async () => {
    const answer = await diagnose(await runOf(STORY), { task: TASK });
    expect(answer).toMatchObject({
      error: { message: lastError.message, checkpoint: { id: '6' }, seq: 6, from: 'status' },
      failingStep: { ref: { id: '6' }, description: 'compile' },
      lastGood: { ref: { id: '3' }, back: 3, holds: { from: { seq: 4 }, to: { seq: 5 } } },
      outcome: 'suspects',
      examined: { n: 6, of: 6, gaps: [] },
    });
    const [first] = answer.suspects;
    expect(first).toMatchObject({ ref: { id: '4' }, path: '$.figures.south', before: '42', after: '42000' });
    expect(first?.reasons).toContain('1,000 times larger than before.');
  });

  it('takes what cannot be read as a gap and names it', async () => {
    const { source } = watched(await runOf(STORY), ['3']);
    const { examined, lastGood, suspects } = await diagnose(source, { task: TASK });
    expect(examined).toEqual({
      n: 5,
      of: 6,
      gaps: [{ ref: { task: TASK, id: '3' }, seq: 3, reason: 'The row is torn.' }],
    });
    expect(lastGood?.ref.id).toBe('2');
    expect(suspects[0]?.path).toBe('$.figures.south');
  });

  it('names the whole length of a long value, and the checkpoints that hold it', async () => {
    const long = { text: 'word '.repeat(2_000) };
    const notes = (last: string | object) =>
      ['a', 'b', 'c', 'd'].map((id) => ({ id, note: id === 'd' ? last : 'short' }));
    const store = await runOf([
      { state: { notes: notes('short') } },
      { state: { notes: notes('short'), retries: 1 } },
      { state: { notes: notes(long), retries: 1 } },
      { state: { notes: notes(long), retries: 2 } },
      { state: { notes: notes(long), lastError: { message: 'the note of d is no text' } }, ...failed },
    ]);
    const { suspects, lastGood } = await diagnose(store, { task: TASK });
    expect(suspects[0]).toMatchObject({ path: '$.notes[3].note', afterLength: JSON.stringify(long).length });
    expect(lastGood).toMatchObject({ ref: { id: '2' }, holds: { from: { seq: 3 }, to: { seq: 4 } } });
  });

  it('goes over parents, not over save order, and looks at the branch that is asked for', async () => {
    const fork = { state: { figures: { ...figures, south: 43 }, retries: 2 }, after: 3 };
    const store = await runOf([...STORY.slice(0, 5), fork, { ...STORY[5], after: 5 } as Step]);
    const answer = await diagnose(store, { task: TASK, cp: '7', ns: '' });
    expect(answer.examined).toMatchObject({ n: 6, of: 6 });
    expect(answer.suspects[0]).toMatchObject({ ref: { id: '4' }, path: '$.figures.south' });
    expect(await diagnose(store, { task: TASK, cp: '6', ns: '' })).toMatchObject({ outcome: 'healthy', suspects: [] });
    await expect(diagnose(store, { task: TASK, cp: '9', ns: '' })).rejects.toThrow(/No checkpoint "9"/);
  });

  it('looks at the branch that failed, where the latest is a fork that went well', async () => {
    const well = { state: { figures, retries: 2 }, after: 3 };
    const answer = await diagnose(await runOf([...STORY, well]), { task: TASK });
    expect(answer).toMatchObject({ error: { checkpoint: { id: '6' } }, failingStep: { seq: 6 }, examined: { n: 6 } });
    const check = { state: { figures: wrong, checks: [{ name: 'ranking', passed: false }] }, after: 4 };
    const said = await diagnose(await runOf([...STORY.slice(0, 4), check, well]), { task: TASK });
    expect(said).toMatchObject({ error: { checkpoint: { id: '5' }, from: 'state', kind: 'check' } });
  });

  it('says that a failure was recovered from, and by which checkpoint', async () => {
    const store = await runOf([...STORY, { state: { figures, ranking }, description: 'again' }]);
    expect(await diagnose(store, { task: TASK, cp: '6', ns: '' })).toMatchObject({ recovered: { ref: { id: '7' } } });
    expect(await diagnose(store, { task: TASK })).toMatchObject({ outcome: 'healthy' });
  });

  it('has no last good checkpoint where all have failed, and admits it where no message is stored', async () => {
    const store = await runOf([1, 2].map((n) => ({ state: { n }, ...failed, description: 'verify' })));
    const answer = await diagnose(store, { task: TASK });
    expect(answer).not.toHaveProperty('lastGood');
    expect(answer).toMatchObject({ error: { message: 'verify', unsaid: true }, outcome: 'unclear' });
  });

  it('cuts long values before a word that could be half a secret', () => {
    const long = `"${'word '.repeat(399)}sk-secret-that-goes-on"`;
    const suspect = {
      ref: { task: TASK, id: '1' },
      seq: 1,
      path: '$.a',
      kind: 'added',
      reasons: [],
      score: 1,
    } as const;
    const sent = sentSuspect({ ...suspect, after: long }, []);
    expect(sent.after?.endsWith('word ')).toBe(true);
    expect(sent.afterLength).toBe(long.length);
  });
});

describe('a run that did not fail', () => {
  it('has no suspects, and only its newest states are read', async () => {
    const { source, read } = watched(await runOf(STORY.slice(0, 5)));
    expect(await diagnose(source, { task: TASK })).toEqual({
      suspects: [],
      outcome: 'healthy',
      examined: { n: 5, of: 5, gaps: [] },
    });
    expect(read).toEqual(['2', '3', '4', '5']);
  });

  it('counts as failed where one of the checks in its state failed', async () => {
    const rows = (third: number) => [10, 11, third, 12, 13].map((price, at) => ({ id: `item-${at}`, price }));
    const checks = (total: boolean) => [
      { name: 'rows', passed: true, message: 'all rows are there' },
      { name: 'total', passed: total, message: total ? 'the total is right' : 'the total of the prices is off' },
    ];
    const store = await runOf([
      { state: { rows: [] } },
      { state: { rows: rows(12) } },
      { state: { rows: rows(1200) } },
      { state: { rows: rows(1200), checks: checks(false) } },
    ]);
    const { source, read } = watched(store);
    const answer = await diagnose(source, { task: TASK });
    // Its newest states are asked first, and not read again.
    expect(read.toSorted()).toEqual(['1', '2', '3', '4']);
    expect(answer).toMatchObject({
      error: { message: 'total: the total of the prices is off', from: 'state', checkpoint: { id: '4' } },
      lastGood: { ref: { id: '2' } },
      outcome: 'suspects',
    });
    expect(answer.suspects[0]).toMatchObject({ ref: { id: '3' }, path: '$.rows[2].price' });
  });

  it('is last good before its state reports the failure, however often that was saved', async () => {
    const said = { n: 2, lastError: { message: 'the register did not answer in time' } };
    const store = await runOf([{ state: { n: 1 } }, { state: said, description: 'ask' }, { state: said }]);
    expect(await diagnose(store, { task: TASK })).toMatchObject({
      error: { from: 'state', checkpoint: { id: '3' } },
      failingStep: { seq: 2, description: 'ask' },
      lastGood: { ref: { id: '1' }, back: 2 },
    });
  });

  it('has not failed where the model was given the error of its call and answered', async () => {
    const call = { type: 'tool', state: 'output-error', errorText: 'no such city' };
    const user = { role: 'user', content: 'And Atlantis?' };
    const told = (...parts: readonly object[]) => ({ role: 'assistant', content: { parts } });
    const answered = [user, told(call, { type: 'text', text: 'I could not find that city.' })];
    const outcomeOf = async (...lists: readonly (readonly object[])[]) =>
      (await diagnose(await runOf(lists.map((messages) => ({ state: { messages } }))), { task: TASK })).outcome;
    expect(await outcomeOf([user], answered)).toBe('healthy');
    expect(await outcomeOf([user], [user, told(call)], [user, told(call), told()])).toBe('healthy');
    expect(await outcomeOf([user], [user, told(call)])).not.toBe('healthy');
    expect(await outcomeOf([user], [user, told(call), user])).not.toBe('healthy');
  });
});

describe('a caller', () => {
  it('has a turn again and again while many changes are weighed', async () => {
    const rows = (of: number) => Array.from({ length: 500 }, (_none, at) => ({ id: `row-${at}`, price: at * of }));
    const steps = [1, 2, 3, 4].map((of): Step => ({ state: { rows: rows(of) } }));
    const store = await runOf([...steps, { state: { rows: rows(5), lastError }, ...failed }]);
    let turns = 0;
    const pause = () => void (turns += 1);
    await diagnoseBranch(store, await listBranch(store, { task: TASK }, () => undefined), pause);
    expect(turns).toBeGreaterThan((4 * 500) / 100);
  });

  it('who leaves ends the reading', async () => {
    const { source, read } = watched(await runOf(STORY));
    const left = new AbortController();
    const stores = createStoreService({ registry: { open: async () => [] } });
    stores.add(source);
    const answer = createDiagnoses({ stores }).of(storeId('runs'), { task: TASK }, { signal: left.signal });
    left.abort(new Error('left'));
    await expect(answer).rejects.toThrow('left');
    expect(read).toEqual([]);
  });

  it('gets what was found before, until the branch changes', async () => {
    const store = await runOf(STORY);
    const { source, read } = watched(store);
    const stores = createStoreService({ registry: { open: async () => [] } });
    stores.add(source);
    const diagnoses = createDiagnoses({ stores });
    const first = await diagnoses.of(storeId('runs'), { task: TASK });
    const before = read.length;
    expect(await diagnoses.of(storeId('runs'), { task: TASK })).toBe(first);
    expect(read).toHaveLength(before);
    await store.save({ task: TASK, id: '7', parent: { task: TASK, id: '6' }, text: '{}', ...failed });
    expect((await diagnoses.of(storeId('runs'), { task: TASK })).examined.of).toBe(7);
  });
});

describe('every system', () => {
  it.each([
    ['native', seededStore, 0],
    ['ctx-sys', () => openFixture('ctx-sys/fixtures/demo-app.db'), 1],
    ['agent-framework', () => openFixture('agent-framework/fixtures/hitl'), 0],
    ['rlm-act', () => openFixture('rlm-act/fixtures/go/.rlm-act-checkpoints'), 1],
    ['kaizen', () => openFixture('kaizen/fixtures/plain'), 1],
    ['langgraph', () => openFixture('langgraph/fixtures/js.sqlite'), 1],
    ['openai-agents', () => openFixture('openai-agents/fixtures/runstates'), 1],
    ['opencode', () => openFixture('opencode/fixtures/opencode.db'), 1],
    ['mastra', () => openFixture('mastra/fixtures/mastra.db'), 1],
    ['codex', () => openFixture('codex/fixtures/home'), 1],
    ['gemini-cli', () => openFixture('gemini-cli/fixtures/five-turns/.gemini'), 0],
    ['claude-code', () => openFixture('claude-code/fixtures/sessions/.claude'), 1],
  ] as const)(
    '%s: errors in full, suspects that are in the states, nothing said of healthy tasks',
    async (_name, open, least) => {
      const source = await open();
      let told = 0;
      for (const task of (await source.tasks({ limit: 100 })).items) {
        const answer = await diagnose(source, { task: task.id });
        const failing = answer.error?.checkpoint ?? (await source.latest(task.id)).ref;
        const meta = failing && (await source.meta(failing));
        if (meta?.status === 'failed') expect(answer.error?.from, task.id).toBe('status');
        else expect(answer.error?.from ?? 'state', task.id).toBe('state');
        told += Number(answer.error !== undefined);
        if (answer.error === undefined) expect(answer.suspects).toEqual([]);
        // Of all these, LangGraph alone keeps an error beside the checkpoint that the failed step began from.
        if (source.info.system !== 'langgraph') expect(answer.failingStep?.before).toBeUndefined();
        if (task.lastError !== undefined && meta?.status === 'failed')
          expect(answer.error?.message).toBe(task.lastError);
        for (const { ref, path, kind, reasons } of answer.suspects) {
          const text = (await source.state(ref))?.text ?? '';
          if (kind !== 'removed') expect(valueAt(text, parseJson(text), parsePath(path)), path).toBeDefined();
          expect(
            reasons.every((reason) => /^[^a-z].*[.?!]$/s.test(reason)),
            reasons.join('\n'),
          ).toBe(true);
        }
      }
      expect(told).toBeGreaterThanOrEqual(least);
    },
  );

  it('of LangGraph: the node that threw, and the checkpoint it ran on as the last good one', async () => {
    const source = await openFixture('langgraph/fixtures/js.sqlite');
    const answer = await diagnose(source, { task: 'node-error' });
    expect(answer.error?.message).toMatch(/^TypeError: upstream returned HTML instead of JSON/);
    expect(answer.error?.node).toBe('fetch_bad');
    expect(answer.failingStep?.before).toBe(true);
    expect(answer.lastGood).toMatchObject({ ref: answer.error?.checkpoint, back: 0 });
    expect(await diagnose(source, { task: 'node-error-recovered' })).toMatchObject({ outcome: 'healthy' });
  });
});
