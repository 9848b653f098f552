import { patchJson, type CheckpointRef, type SystemRequest } from '@checkpoint-inspector/core';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyPlan, undoPlan } from '../test-executor.ts';
import { copyOf, diskOf, openFolder } from './fixtures/open.ts';

const WAITING: CheckpointRef = { task: 'resp_930', id: 'waiting-one-approval' };

async function planned(request: SystemRequest) {
  const folder = await copyOf('runstates');
  const source = await openFolder(folder);
  return { folder, source, plan: await source.plan(request) };
}

const codes = (plan: { view: { warnings: readonly { code: string }[] } }) => plan.view.warnings.map(({ code }) => code);

describe('changes of run states', () => {
  it.each([
    ['restore', 'waiting-one-approval-restored-1'],
    ['fork', 'waiting-one-approval-fork-1'],
  ] as const)('%s is a copy byte for byte, as the newest file; undo takes it away', async (kind, id) => {
    const { folder, source, plan } = await planned({ kind, ref: WAITING });
    const before = await diskOf(folder);
    expect(plan.view).toMatchObject({
      latestAfter: { task: 'resp_930', id },
      next: `await run(agent, await RunState.fromString(agent, await readFile("${id}.json", 'utf8')))`,
      sidecar: [{ child: { task: 'resp_930', id }, parent: WAITING }],
    });
    expect(codes(plan)).toEqual(['program_loads', 'interrupt_asked_again']);
    const { images } = await applyPlan(plan);
    expect(await readFile(join(folder, `${id}.json`), 'utf8')).toBe((await source.state(WAITING))?.text);
    expect((await source.latest('resp_930')).ref?.id).toBe(id);
    await undoPlan(plan, images);
    expect(await diskOf(folder)).toEqual(before);
  });

  it('a second copy counts on, and a copy of a copy too', async () => {
    const { source, plan } = await planned({ kind: 'restore', ref: WAITING });
    await applyPlan(plan);
    const copy = plan.view.latestAfter;
    if (!copy) throw new Error('The copy is the latest.');
    expect((await source.plan({ kind: 'restore', ref: copy })).view.latestAfter?.id).toBe(
      'waiting-one-approval-restored-2',
    );
  });

  it('warns that edited arguments are executed, of calls that have no answer yet only', async () => {
    const source = await openFolder(await copyOf('runstates'));
    const edited = async (ref: CheckpointRef, from: string, to: string) => {
      const { text } = (await source.state(ref)) ?? { text: '' };
      expect(text).toContain(from);
      return source.plan({ kind: 'edit', ref, text: text.replaceAll(from, to) });
    };
    const open = await edited(WAITING, String.raw`{\"amount\":30}`, String.raw`{\"amount\":999}`);
    expect(open.view.warnings[0]).toMatchObject({
      code: 'arguments_executed',
      message: expect.stringContaining('refund will be executed with the arguments in the edited text'),
    });
    const done = { task: 'resp_926', id: 'tools-done-turn-1' };
    expect(codes(await edited(done, String.raw`{\"city\":\"Paris\"}`, String.raw`{\"city\":\"Rome\"}`))).not.toContain(
      'arguments_executed',
    );
  });

  it('refuses numbers that the SDK cannot read', async () => {
    const source = await openFolder(await copyOf('runstates'));
    const text = patchJson((await source.state(WAITING))?.text ?? '', [{ path: ['currentTurn'], text: 'NaN' }]);
    await expect(source.plan({ kind: 'edit', ref: WAITING, text })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('NaN, which OpenAI Agents SDK cannot read'),
    });
  });

  it('refuses an edit that makes another run or another schema version of it', async () => {
    const source = await openFolder(await copyOf('runstates'));
    const { text } = (await source.state(WAITING)) ?? { text: '' };
    for (const edit of [
      { path: ['$schemaVersion'], text: '"1.21"' },
      { path: ['modelResponses', 0, 'responseId'], text: '"resp_931"' },
    ])
      await expect(source.plan({ kind: 'edit', ref: WAITING, text: patchJson(text, [edit]) })).rejects.toMatchObject({
        code: 'invalid_input',
      });
    await expect(source.plan({ kind: 'fork', ref: WAITING, targetTask: 'other' })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });

  it.each(['1.23', '2.0', '0.9', '1.022', ''])(
    'shows schema version %j, and refuses it in the words of the SDK',
    async (version) => {
      const folder = await copyOf('runstates');
      const path = join(folder, `${WAITING.id}.json`);
      await writeFile(
        path,
        patchJson(await readFile(path, 'utf8'), [{ path: ['$schemaVersion'], text: JSON.stringify(version) }]),
      );
      const source = await openFolder(folder);
      const why = `Run state schema version ${version} is not supported. Please use version 1.22.`;
      expect((await source.state(WAITING))?.text).toContain(`"$schemaVersion":"${version}"`);
      expect(await source.capability(WAITING)).toEqual({ restore: why, fork: why, edit: why });
      for (const kind of ['restore', 'fork'] as const)
        await expect(source.plan({ kind, ref: WAITING })).rejects.toMatchObject({ code: 'unsupported', message: why });
      const plan = await source.plan({ kind: 'delete', refs: [WAITING] });
      expect(plan.view.removes.count).toBe(1);
    },
  );

  it('copies the items of a session, which have no edit', async () => {
    const folder = await copyOf('sessions');
    const source = await openFolder(folder);
    const ref = { task: 'session-weather', id: 'session-weather' };
    const plan = await source.plan({ kind: 'fork', ref, id: 'the other answer' });
    expect(plan.view.next).toContain('new MemorySession({ initialItems: JSON.parse(');
    await applyPlan(plan);
    expect(await readFile(join(folder, 'the other answer.json'), 'utf8')).toBe((await source.state(ref))?.text);
    expect(Object.keys(await source.capability(ref))).toEqual(['edit']);
  });
});
