import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRegistry, foreignSystems } from '../registry.ts';
import { copyOf, fixture, openFolder, temporaryFolder } from './fixtures/open.ts';
import { messagesOf, pendingOf, requestsOf, stepsOf } from './view.ts';

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(await temporaryFolder(), 'states');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const state = (more: object): string =>
  JSON.stringify({ $schemaVersion: '1.22', originalInput: 'hello', modelResponses: [], ...more });

it('lists a torn string with its place, and leaves out what was never one', async () => {
  const whole = state({});
  const source = await openFolder(
    await folderOf({
      'a.json': whole,
      'torn.json': whole.slice(0, -3),
      'package.json': '{"name":"x","version":"1.0.0"}',
      'notes.txt': 'not JSON',
      'list.json': '[1, 2]',
      LICENSE: 'MIT',
    }),
  );
  const { items } = await source.tasks();
  expect(items.map(({ id, kind, unreadable }) => [id, kind, unreadable])).toEqual(
    expect.arrayContaining([
      ['a', undefined, 0],
      ['unassigned files', 'unassigned', 1],
    ]),
  );
  expect(items).toHaveLength(2);
  const [torn] = (await source.checkpoints('unassigned files')).items;
  expect(torn).toMatchObject({ id: 'torn', problem: { code: 'unreadable', offset: whole.length - 3 } });
  expect(source.info.notes).toEqual(["2 other files in the folder aren't run states, and aren't shown."]);
});

it.each([
  ['a deep value', state({ context: JSON.parse(`${'['.repeat(4_000)}${']'.repeat(4_000)}`) as unknown })],
  [
    'members of other kinds',
    state({ generatedItems: 7, currentStep: 'x', currentAgent: [], context: null, maxTurns: 'y' }),
  ],
  [
    'items of other kinds',
    state({
      generatedItems: [null, 1, [], { type: 3 }],
      currentStep: { type: 'next_step_interruption', data: { interruptions: [1, {}] } },
    }),
  ],
  [
    'control characters and HTML',
    state({ originalInput: '\u0000\u202e<img src=x onerror=alert(1)>', currentAgent: { name: '\u0007' } }),
  ],
  [
    'responses in a circle of ids',
    state({ modelResponses: [{ responseId: 'a' }, { responseId: 'a' }, { responseId: 'a' }] }),
  ],
  ['a 10 MB line', state({ originalInput: 'x'.repeat(10_000_000) })],
])('reads %s', async (_what, text) => {
  const source = await openFolder(await folderOf({ 'one.json': text, 'two.json': text }));
  const { items } = await source.tasks();
  expect(items.reduce((sum, { checkpointCount }) => sum + checkpointCount, 0)).toBe(2);
  for (const { id, title } of items) {
    expect(title.length).toBeLessThan(200);
    for (const row of (await source.checkpoints(id)).items)
      expect((await source.state({ task: id, id: row.id }))?.text).toBe(text);
  }
  for (const view of [messagesOf, pendingOf, requestsOf, stepsOf]) expect(view(text)).toBeInstanceOf(Array);
});

it('is found by folder, by file and from the folder around, and takes no other JSON for its own', async () => {
  const registry = createRegistry(foreignSystems);
  const systems = async (path: string) => (await registry.detect(path)).map(({ system }) => system);
  const folder = await copyOf('runstates');
  for (const path of [folder, join(folder, '..'), join(folder, 'unicode.json'), fixture('sessions')])
    expect(await systems(path), path).toEqual(['openai-agents']);
  expect(await systems(await folderOf({ 'chat.json': '[{"type":"message","role":"user","content":"hi"}]' }))).toEqual(
    [],
  );
  expect(await systems(await folderOf({ 'schema.json': '{"$schemaVersion":"1.0","title":"x"}' }))).toEqual([]);
});

it('is known by its content: after many other documents, a long input, and a byte order mark', async () => {
  const others = Array.from({ length: 30 }, (_, n) => [`a${n}.json`, '{"name":"x"}'] as const);
  const text = `\uFEFF${JSON.stringify({ originalInput: 'x'.repeat(300_000), $schemaVersion: '1.22', modelResponses: [] })}`;
  const folder = await folderOf({ ...Object.fromEntries(others), 'z.json': text });
  const [found] = await createRegistry(foreignSystems).detect(folder);
  expect(found).toMatchObject({ system: 'openai-agents', confidence: 0.95 });
  const source = await openFolder(folder);
  expect((await source.state({ task: 'z', id: 'z' }))?.text).toBe(text.slice(1));
  expect(Buffer.from((await source.raw({ task: 'z', id: 'z' })) ?? []).toString()).toBe(text);
});
