import type { CheckpointRef } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LogSource } from '../log/index.ts';
import { applyPlan, undoPlan } from '../test-executor.ts';
import { copyOfHome, diskOf, openCodex } from './fixtures/open.ts';

const { made } = JSON.parse(await readFile(join(import.meta.dirname, 'fixtures/facts.json'), 'utf8')) as {
  made: Record<string, { thread: string }>;
};
const thread = (name: string): string => made[name]?.thread ?? name;
const NOW = new Date('2026-11-22T05:06:07.000Z');

async function opened() {
  const root = await copyOfHome();
  return { root, source: await openCodex(root, { now: () => NOW }) };
}
const refs = async (source: LogSource, task: string): Promise<CheckpointRef[]> =>
  (await source.checkpoints(task, { limit: 1000 })).items.map(({ id }) => ({ task, id }));
const at = async (source: LogSource, name: string, place: number): Promise<CheckpointRef> =>
  (await refs(source, thread(name))).toReversed()[place] ?? { task: '', id: '' };
const codes = (view: { warnings: readonly { code: string }[] }): string[] => view.warnings.map(({ code }) => code);

it('forks by one line that says how far the lines of the other thread go', async () => {
  const { root, source } = await opened();
  const plan = await source.plan({ kind: 'fork', ref: await at(source, 'five-turns', 1) });
  const { images } = await applyPlan(plan);
  const id = plan.view.targetTask ?? '';
  const path = [...(await diskOf(root)).keys()].find((name) => name.includes(id)) ?? '';
  const [line = '', ...rest] = (await readFile(root + path, 'utf8')).split('\n');
  const like = JSON.parse(
    (
      await readFile(
        [...(await diskOf(root)).keys()]
          .map((name) => root + name)
          .find((name) => name.includes(thread('fork-at-turn-2'))) ?? '',
        'utf8',
      )
    ).split('\n')[0] ?? '',
  ) as { ordinal: number; payload: { history_base: object } };
  // As Codex itself forked at this turn.
  expect(JSON.parse(line)).toMatchObject({
    ordinal: like.ordinal,
    payload: { id, session_id: id, forked_from_id: thread('five-turns'), history_base: like.payload.history_base },
  });
  expect(rest).toEqual(['']);
  expect(codes(plan.view)).toEqual(['fork_by_reference']);
  expect(await refs(source, id)).toEqual([{ task: id, id }]);
  await undoPlan(plan, images);
  expect(await refs(source, id)).toEqual([]);
});

it.each([
  ['a thread that was reverted', 'reverted', 5],
  ['a fork of a fork', 'fork-of-fork', 1],
  ['a compacted thread', 'compacted', 4],
  ['a compressed thread', 'long-run', 50],
  ['an archived thread', 'unicode', 0],
])('restores %s as a thread of its own, with its lines numbered through', async (_what, name, place) => {
  const { root, source } = await opened();
  const ref = await at(source, name, place);
  const plan = await source.plan({ kind: 'restore', ref });
  await applyPlan(plan);
  const id = plan.view.targetTask ?? '';
  const path = [...(await diskOf(root)).keys()].find((one) => one.includes(id)) ?? '';
  expect(path).toMatch(/^\/sessions\/2026\/11\/22\/rollout-2026-11-2\dT/);
  const lines = (await readFile(root + path, 'utf8')).trim().split('\n');
  const ordinals = lines.map((line) => (JSON.parse(line) as { ordinal: number }).ordinal);
  expect(ordinals).toEqual(lines.map((_line, number) => number));
  expect((await source.state(plan.view.latestAfter ?? ref))?.revision).toBe(plan.view.proofHash);
  expect(plan.view.writes.items[0]?.ref).toEqual(plan.view.latestAfter);
  const items = async (from: CheckpointRef) => (await source.state(from))?.text.replace(/^.*?"items":/s, '');
  expect(await items(plan.view.latestAfter ?? ref)).toBe(await items(ref));
});

it('edits items and nothing else, under an id that Codex takes', async () => {
  const { source } = await opened();
  const ref = await at(source, 'five-turns', 2);
  const text = (await source.state(ref))?.text ?? '';
  const edit = (changed: string) => source.plan({ kind: 'edit', ref, text: changed });
  await expect(edit(text.replace('"model":"mock-1"', '"model":"other"'))).rejects.toMatchObject({
    message: /Only "items"/,
  });
  await expect(edit(text.replace('"items":[', '"items":[{"score":-Infinity},'))).rejects.toMatchObject({
    message: /-Infinity, which Codex cannot read/,
  });
  await expect(edit('{"turn":{}}')).rejects.toMatchObject({ message: /needs the list "items"/ });
  await expect(source.plan({ kind: 'fork', ref, targetTask: 'my fork' })).rejects.toMatchObject({ message: /UUIDs/ });
  await expect(source.plan({ kind: 'fork', ref, targetTask: ref.task })).rejects.toMatchObject({ message: /already/ });
  // Over several lines, as people format it.
  const plan = await edit(text.replaceAll(',"', ',\n  "').replace('question 1', 'another question'));
  await applyPlan(plan);
  expect((await source.state(plan.view.latestAfter ?? ref))?.text).toContain('another question');
  expect(plan.view.sidecar).toEqual([{ child: plan.view.latestAfter, parent: ref }]);
});

it('C6: refuses to delete what forks hang on, and a single step', async () => {
  const { source } = await opened();
  const all = await refs(source, thread('five-turns'));
  const refusal = source.plan({ kind: 'delete', refs: all });
  await expect(refusal).rejects.toMatchObject({ code: 'unsupported', data: { forks: [thread('fork-at-turn-2')] } });
  const single = { task: thread('five-turns'), id: all[0]?.id ?? '' };
  await expect(source.plan({ kind: 'delete', refs: [single] })).rejects.toMatchObject({ message: /single step/ });
  expect((await source.capability(single)).delete).toMatch(/single step/);
});

it('deletes a reverted thread with all its files, and brings it back', async () => {
  const { root, source } = await opened();
  const before = await diskOf(root);
  const plan = await source.plan({ kind: 'delete', refs: await refs(source, thread('reverted')) });
  const { images } = await applyPlan(plan);
  expect((await diskOf(root)).size).toBe(before.size - 2);
  await undoPlan(plan, images);
  expect(await diskOf(root)).toEqual(before);
});

it('says that a question is not asked again', async () => {
  const { source } = await opened();
  const plan = await source.plan({ kind: 'restore', ref: await at(source, 'waiting-approval-killed', 0) });
  expect(codes(plan.view)).toEqual(['question_not_asked_again']);
});

it('C15: says that a copied home leads Codex back to the original', async () => {
  const { root, source: other } = await opened();
  const database = openSqlite(join(root, 'state_5.sqlite'), { readOnly: false, create: true });
  database.exec('CREATE TABLE threads (id TEXT, rollout_path TEXT)');
  database.prepare('INSERT INTO threads VALUES (?, ?)').run('a', '/old/home/sessions/2026/11/22/rollout-a.jsonl');
  database.close();
  await other.close();
  const source = await openCodex(root, { now: () => NOW });
  expect(source.info.notes?.join()).toContain('names /old/home.');
  const plan = await source.plan({ kind: 'restore', ref: await at(source, 'five-turns', 0) });
  expect(codes(plan.view)).toEqual(['copied_home']);
});

it('refuses a plan once the checkpoint is another one', async () => {
  const { root, source } = await opened();
  const ref = await at(source, 'five-turns', 0);
  const { view } = await source.plan({ kind: 'restore', ref });
  const [, revision] = view.preconditions;
  const path = [...(await diskOf(root)).keys()].find((name) => name.includes(ref.task)) ?? '';
  const text = await readFile(root + path, 'utf8');
  await writeFile(root + path, text.replace('"last_agent_message":"answer 1"', '"last_agent_message":"answer 9"'));
  const again = await openCodex(root, { now: () => NOW });
  expect((await again.plan({ kind: 'restore', ref })).view.preconditions[1]).not.toEqual(revision);
});
