import { afterAll, describe, expect, it } from 'vitest';
import { voltagentSystem } from '../src/voltagent/index.ts';
import { at, rowStore } from './rows.ts';

/** The versions that the fixture was written by. */
const PACKAGES = { '@voltagent/core': '2.10.0', '@voltagent/libsql': '2.1.2', zod: '3.25.76' };

interface Command {
  readonly act: 'run' | 'resume' | 'restart';
  readonly name: string;
  readonly id: string;
  readonly input?: unknown;
}

const store = await rowStore<Command>({
  system: voltagentSystem,
  tables: ['voltagent_memory_workflow_states'],
  packages: PACKAGES,
  program: 'voltagent.program.mjs',
});
afterAll(() => store.remove());

const start = (id: string): Command => ({ act: 'run', name: 'approval-flow', id, input: { amount: 5 } });
const answer = (id: string, approved: boolean): Command => {
  return { act: 'resume', name: 'approval-flow', id, input: { approved } };
};

describe(`VoltAgent ${PACKAGES['@voltagent/core']}`, () => {
  it('V2: a copy of a waiting execution takes its own answer, and the original still waits', async () => {
    await store.open(start('v2'));
    await store.change({ kind: 'fork', ref: at('v2', 1), targetTask: 'v2-b' }, async ({ view }) => {
      expect(view.next).toContain('resumeSuspendedWorkflow("approval-flow", "v2-b", …)');
      expect(await store.run(answer('v2-b', false))).toMatchObject([
        { status: 'completed', result: { status: 'refused' } },
      ]);
    });
    expect(await store.run(answer('v2', true))).toMatchObject([
      { result: { status: 'paid' }, ran: ['approve', 'pay'] },
    ]);
  });

  it('V3: a finished execution goes back to its waiting point in place, and takes the other answer', async () => {
    await store.open(start('v3'), answer('v3', true));
    await store.change({ kind: 'restore', ref: at('v3', 1) }, async () => {
      expect(await store.run(answer('v3', false))).toMatchObject([
        { status: 'completed', result: { amount: 5, status: 'refused' }, ran: ['approve', 'pay'] },
      ]);
    });
    expect((await store.source.latest('v3')).ref).toEqual(at('v3', 3));
  });

  it('V6: a finished execution is cut after 40 steps, and restarts with the next', async () => {
    await store.open({ act: 'run', name: 'long-chain', id: 'v6', input: { n: 0 } });
    await store.change({ kind: 'restore', ref: at('v6', 40) }, async ({ view }) => {
      expect(view.next).toBe('await workflow.restart("v6")');
      expect(view.warnings.map(({ code }) => code)).toContain('events_lost');
      const [done] = await store.run({ act: 'restart', name: 'long-chain', id: 'v6' });
      expect(done).toMatchObject({ status: 'completed', result: { n: 105 } });
      expect([done?.ran.length, done?.ran[0]]).toEqual([65, 's040']);
    });
  });

  it('goes back to the input, and the whole workflow runs again', async () => {
    await store.open(start('v7'), answer('v7', true));
    await store.change({ kind: 'fork', ref: at('v7', 0), targetTask: 'v7-b' }, async () => {
      expect(
        await store.run({ act: 'restart', name: 'approval-flow', id: 'v7-b' }, answer('v7-b', true)),
      ).toMatchObject([
        { status: 'suspended', ran: ['draft', 'approve'] },
        { status: 'completed', result: { status: 'paid' } },
      ]);
    });
  });

  it('continues with a result that was edited', async () => {
    await store.open(start('v8'), answer('v8', true));
    const text = (await store.source.state(at('v8', 2)))?.text ?? '';
    const edited = text.replaceAll('"amount":5', '"amount":7');
    await store.change({ kind: 'edit', ref: at('v8', 2), text: edited, targetTask: 'v8-b' }, async () => {
      expect(await store.run({ act: 'restart', name: 'approval-flow', id: 'v8-b' })).toMatchObject([
        { status: 'completed', result: { amount: 7, status: 'paid' }, ran: ['pay'] },
      ]);
    });
  });
});
