import { afterAll, describe, expect, it } from 'vitest';
import { mastraSystem } from '../src/mastra/index.ts';
import { at, rowStore } from './rows.ts';

/** The versions that the fixture was written by. */
const PACKAGES = { '@mastra/core': '1.71.0', '@mastra/libsql': '1.23.1', zod: '4.1.12' };

interface Command {
  readonly name: string;
  readonly runId: string;
  readonly act: 'start' | 'resume' | 'restart' | 'timeTravel';
  readonly [option: string]: unknown;
}

const store = await rowStore<Command>({
  system: mastraSystem,
  tables: ['mastra_workflow_snapshot'],
  packages: PACKAGES,
  program: 'mastra.program.mjs',
});
afterAll(() => store.remove());

const paid = (runId: string): Command[] => [
  { name: 'approval-flow', runId, act: 'start', inputData: { amount: 5 } },
  { name: 'approval-flow', runId, act: 'resume', step: 'approve', resumeData: { approved: true } },
];
const refuse = (runId: string): Command => {
  return { name: 'approval-flow', runId, act: 'resume', step: 'approve', resumeData: { approved: false } };
};

const nested = (runId: string): Command => ({
  name: 'nested-parent',
  runId,
  act: 'start',
  inputData: { topic: 'tides' },
});
const pick = (runId: string): Command => {
  return { name: 'nested-parent', runId, act: 'resume', step: ['research-sub', 'pick'], resumeData: { picked: 2 } };
};

describe(`Mastra ${PACKAGES['@mastra/core']}: runs of one workflow`, () => {
  it('M1: goes back to the waiting point in place, and takes the other answer', async () => {
    await store.open(...paid('m1'));
    await store.change({ kind: 'restore', ref: at('m1', 1) }, async ({ view }) => {
      expect(view.next).toContain('run.resume({ step: "approve", resumeData: … })');
      expect(await store.run(refuse('m1'))).toMatchObject([
        { status: 'success', result: { amount: 5, status: 'refused' }, ran: ['approve', 'pay'] },
      ]);
    });
    expect((await store.source.latest('m1')).ref).toEqual(at('m1', 3));
  });

  it('M2: forks to the waiting point under a new id, and leaves the original as it is', async () => {
    await store.open(...paid('m2'));
    const kept = await store.source.state(at('m2', 3));
    await store.change({ kind: 'fork', ref: at('m2', 1), targetTask: 'm2-b' }, async () => {
      expect(await store.run(refuse('m2-b'))).toMatchObject([{ status: 'success', result: { status: 'refused' } }]);
    });
    expect(await store.source.state(at('m2', 3))).toEqual(kept);
  });

  it('M2: forks a run that waits now, with its question', async () => {
    await store.open(...paid('m3').slice(0, 1));
    await store.change({ kind: 'fork', ref: at('m3', 1), targetTask: 'm3-b' }, async () => {
      expect(await store.run(refuse('m3-b'))).toMatchObject([{ status: 'success', result: { status: 'refused' } }]);
    });
    expect(await store.run(...paid('m3').slice(1))).toMatchObject([{ result: { status: 'paid' } }]);
  });

  it('M7: an edited result is what the steps after it get, by time travel', async () => {
    await store.open(...paid('m7'));
    const text = (await store.source.state(at('m7', 3)))?.text ?? '';
    const edited = text.replace(
      '"output":{"amount":5,"status":"drafted"}',
      '"output":{"amount":700,"status":"drafted"}',
    );
    expect(edited).not.toBe(text);
    await store.change({ kind: 'edit', ref: at('m7', 3), text: edited, targetTask: 'm7-b' }, async ({ view }) => {
      expect(view.next).toContain('run.timeTravel({ step: "approve" })');
      expect(
        await store.run({ name: 'approval-flow', runId: 'm7-b', act: 'timeTravel', step: 'approve' }, refuse('m7-b')),
      ).toMatchObject([{ status: 'suspended' }, { status: 'success', result: { amount: 700, status: 'refused' } }]);
    });
  });
});

describe(`Mastra ${PACKAGES['@mastra/core']}: nested runs`, () => {
  it('M9: forks a run with the run nested in it; the original still waits for its own answer', async () => {
    await store.open(nested('m9'));
    await store.change({ kind: 'fork', ref: at('m9', 1), targetTask: 'm9-b' }, async () => {
      expect(await store.run(pick('m9-b'))).toMatchObject([{ status: 'success', result: { picked: 2, write: true } }]);
    });
    expect((await store.source.meta({ ...at('m9', 1), namespace: 'research-sub' }))?.status).toBe('interrupted');
    expect(await store.run(pick('m9'))).toMatchObject([{ status: 'success', ran: ['pick', 'write'] }]);
  });

  it('a nested run starts again with its parent, from its own beginning', async () => {
    await store.open(nested('n1'), pick('n1'));
    await store.change({ kind: 'restore', ref: at('n1', 1) }, async ({ view }) => {
      expect(view.next).toContain('run.restart()');
      expect(await store.run({ name: 'nested-parent', runId: 'n1', act: 'restart' }, pick('n1'))).toMatchObject([
        { status: 'suspended', ran: ['search', 'pick'] },
        { status: 'success', result: { topic: 'tides', picked: 2 } },
      ]);
    });
  });
});

describe(`Mastra ${PACKAGES['@mastra/core']}: long and varied runs`, () => {
  it('M12: a run of 110 steps is cut after 40, and restarts with step 41', async () => {
    await store.open({ name: 'long-chain', runId: 'm12', act: 'start', inputData: {} });
    await store.change({ kind: 'restore', ref: at('m12', 40) }, async () => {
      const [done] = await store.run({ name: 'long-chain', runId: 'm12', act: 'restart' });
      expect(done).toMatchObject({ status: 'success', result: { n: 110 } });
      expect([done?.ran.length, done?.ran[0]]).toEqual([70, 's040']);
    });
  });

  it('goes back before and behind every kind of entry, and the run ends as it did', async () => {
    const start: Command = { name: 'shapes', runId: 's', act: 'start', inputData: { topic: 'x' } };
    const right: Command = { name: 'shapes', runId: 's', act: 'resume', step: 'right', resumeData: { ok: 1 } };
    const [, whole] = await store.open(start, right);
    expect(whole).toMatchObject({ status: 'success', result: { n: 9, end: true } });
    const indexes = (await store.source.checkpoints('s')).items.filter(({ isLatest }) => !isLatest);
    expect(indexes).toHaveLength(9);
    for (const { id, stepIndex = 0 } of indexes) {
      const runId = `s-${stepIndex}`;
      await store.change({ kind: 'fork', ref: { task: 's', id }, targetTask: runId }, async ({ view }) => {
        const first = view.next?.includes('resume')
          ? { ...right, runId }
          : { ...start, runId, act: 'restart' as const };
        const [done] = await store.run(first);
        const end = done?.status === 'suspended' ? (await store.run({ ...right, runId }))[0] : done;
        expect(end, `after ${stepIndex}`).toMatchObject({ status: 'success', result: { n: 9, end: true } });
      });
    }
  });
});
