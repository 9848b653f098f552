import { isChangeable, type CheckpointSource } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { executor } from '../test-executor.ts';
import { makeFolder, type Made } from './test-store.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

async function folderLike(name: string): Promise<Made> {
  const made = await makeFolder({});
  await cp(fixture(name), made.folder, { recursive: true });
  return made;
}

async function databaseOf(sql: string): Promise<Made> {
  const made = await makeFolder({});
  const database = openSqlite(join(made.folder, 'store.db'), { readOnly: false, create: true });
  database.exec(sql);
  database.close();
  return made;
}

async function opened(made: Made): Promise<CheckpointSource> {
  const [source] = await made.open();
  if (source === undefined) throw new Error('Nothing opened.');
  return source;
}

/** Checkpoints of each task, oldest first. */
async function listedBy(source: CheckpointSource) {
  const found: Record<string, readonly unknown[]> = {};
  for (const { id, unreadable } of (await source.tasks()).items) {
    expect(unreadable).toBe(0);
    const { items } = await source.checkpoints(id);
    found[id] = items.toReversed().map((meta) => [meta.id, meta.createdAt, meta.description, meta.status]);
  }
  return found;
}

it('lists what the AI SDK devtools wrote', async () => {
  const made = await folderLike('ai-sdk-devtools');
  const source = await opened(made);
  const [lisbon, oslo] = ['20261129023318200-74a04205', '20261129023318289-94bf9b0a'];
  expect((await source.tasks()).items.map(({ system }) => system)).toEqual(['AI SDK devtools', 'AI SDK devtools']);
  expect(await listedBy(source)).toEqual({
    [lisbon]: [
      ['579b7a1c-9275-49d9-b384-21f9a7be2e42', '2026-11-29T02:33:18.252Z', 'generate', 'unknown'],
      ['35001778-c1fa-4356-b0ba-44e7bf364a9d', '2026-11-29T02:33:18.273Z', 'generate', 'unknown'],
    ],
    [oslo]: [
      ['a879d270-9323-460c-bfda-ed55e985ae8f', '2026-11-29T02:33:18.293Z', 'generate', 'unknown'],
      ['5e615fc7-b1cb-4942-8437-d34762aa55b3', '2026-11-29T02:33:18.305Z', 'The model is overloaded.', 'failed'],
    ],
  });
  await made.close();
});

it('lists what Google ADK wrote', async () => {
  const made = await databaseOf(await readFile(fixture('google-adk/adk.sql'), 'utf8'));
  const source = await opened(made);
  expect((await source.tasks()).items.map(({ system }) => system)).toEqual(['Google ADK', 'Google ADK']);
  expect(await listedBy(source)).toEqual({
    'trip-lisbon': [
      ['5X3ORKSL', '2026-11-29T02:33:25.338Z', 'user', 'unknown'],
      ['lUK9RpHE', '2026-11-29T02:33:25.442Z', 'guide', 'unknown'],
      ['DDdrz4UT', '2026-11-29T02:33:25.510Z', 'guide', 'unknown'],
      ['lH5UybyG', '2026-11-29T02:33:25.605Z', 'guide', 'unknown'],
    ],
    'trip-oslo': [
      ['3adS2rQn', '2026-11-29T02:33:25.745Z', 'user', 'unknown'],
      ['xy5nQ1Cu', '2026-11-29T02:33:25.816Z', 'guide', 'unknown'],
      ['uFNqFjsl', '2026-11-29T02:33:25.861Z', 'guide', 'unknown'],
      ['maaGpg68', '2026-11-29T02:33:25.901Z', 'The model is overloaded.', 'failed'],
    ],
  });
  await made.close();
});

it('lists what Strands Agents wrote', async () => {
  const made = await folderLike('strands');
  const source = await opened(made);
  const listed = await listedBy(source);
  expect(Object.keys(listed).toSorted()).toEqual(['trip-lisbon/guide', 'trip-oslo/guide']);
  expect(listed['trip-lisbon/guide']?.map((row) => [row].flat()[0])).toContain('snapshot_latest');
  expect(listed['trip-lisbon/guide']).toHaveLength(3);
  await made.close();
});

it('gives the state of a preset as stored', async () => {
  const strands = await folderLike('strands');
  const snapshot = await (await opened(strands)).state({ task: 'trip-oslo/guide', id: 'snapshot_latest' });
  const [, call] = JSON.parse(snapshot?.text ?? '').messages;
  expect(call.content).toEqual([{ toolUse: { name: 'weather', toolUseId: 'call-1', input: { city: 'Oslo' } } }]);
  await strands.close();

  const adk = await databaseOf(await readFile(fixture('google-adk/adk.sql'), 'utf8'));
  const events = await (await opened(adk)).state({ task: 'trip-lisbon', id: 'lUK9RpHE' });
  expect(JSON.parse(events?.text ?? '').events.map(({ id }: { id: string }) => id)).toEqual(['5X3ORKSL', 'lUK9RpHE']);
  await adk.close();
});

const FLOWS = `CREATE TABLE flow_states (id INTEGER PRIMARY KEY AUTOINCREMENT, flow_uuid TEXT NOT NULL,
    method_name TEXT NOT NULL, timestamp DATETIME NOT NULL, state_json TEXT NOT NULL);
  INSERT INTO flow_states VALUES
    (1, 'flow-a', 'plan', '2026-03-01T10:00:01.123456+00:00', '{"id": "flow-a", "cost": 1.0}'),
    (2, 'flow-b', 'plan', '2026-03-01T10:00:02.123456+00:00', '{"id": "flow-b", "cost": 2.5}'),
    (3, 'flow-a', 'book', '2026-03-01T10:00:03.123456+00:00', '{"id": "flow-a", "cost": 7}')`;

it('restores a flow of CrewAI as the row with the greatest id', async () => {
  const made = await databaseOf(FLOWS);
  const source = await opened(made);
  if (!isChangeable(source)) throw new Error('It only reads.');
  const { apply, undo } = executor();
  const before = await listedBy(source);
  await apply(await source.plan({ kind: 'restore', ref: { task: 'flow-a', id: '1' } }));
  expect((await source.latest('flow-a')).ref).toEqual({ task: 'flow-a', id: '4' });
  expect((await source.state({ task: 'flow-a', id: '4' }))?.text).toBe('{"id": "flow-a", "cost": 1.0}');
  await undo();
  expect(await listedBy(source)).toEqual(before);
  await made.close();
});
