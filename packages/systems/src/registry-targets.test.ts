import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { storeId, storeIdFrom } from '@checkpoint-inspector/core';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { expect, it } from 'vitest';
import { copyOfHome } from './claude-code/fixtures/open.ts';
import { temporaryFolder } from './kaizen/fixtures/open.ts';
import { foreignSystems, createRegistry, resolveTarget } from './registry.ts';

const options = { label: 'x', location: 'x', nameStore: () => expect.unreachable() };
const SECRET = 'postgres://ann:hunter2@db.local/app?sslmode=require';

it('takes a path for what is there, and an address as it is written', async () => {
  expect(await resolveTarget(import.meta.filename)).toEqual({ kind: 'path', path: import.meta.filename, is: 'file' });
  expect(await resolveTarget('~')).toEqual({ kind: 'path', path: homedir(), is: 'folder' });
  expect(await resolveTarget(SECRET)).toEqual({ kind: 'address', url: SECRET });
  expect(await resolveTarget('env:DATABASE_URL')).toEqual({ kind: 'address', url: 'env:DATABASE_URL' });
  await expect(resolveTarget(join(import.meta.dirname, 'none'))).rejects.toMatchObject({ code: 'no_store' });
  await expect(resolveTarget('a\0b')).rejects.toMatchObject({ code: 'invalid_input' });
});

it('refuses an address that no system knows, and shows neither user nor password', async () => {
  const registry = createRegistry(foreignSystems);
  const unknown = SECRET.replace('postgres', 'mysql');
  expect(await registry.detect(unknown)).toEqual([]);
  const error: unknown = await registry.open(unknown, options).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'unsupported', message: expect.stringContaining('"mysql://db.local/app"') });
  expect(JSON.stringify(error)).not.toMatch(/ann|hunter2/);
});

it('names the variable of an address that is not set', async () => {
  const error: unknown = await createRegistry(foreignSystems)
    .open('env:NO_SUCH_ADDRESS', options)
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('NO_SUCH_ADDRESS') });
});

it('says of a database server that does not answer where it was looked for, without user and password', async () => {
  const registry = createRegistry(foreignSystems);
  const nobody = 'postgres://ann:hunter2@127.0.0.1:1/app';
  const error: unknown = await registry.open(nobody, options).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'no_store', message: expect.stringContaining('postgres://127.0.0.1:1/app') });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/ann|hunter2/);
});

it.each(['.mastra', '.voltagent', 'deep/down'])('opens by its name a project with a database in %s', async (inside) => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, inside), { recursive: true });
  await copyFile(join(import.meta.dirname, 'mastra/fixtures/mastra.db'), join(folder, inside, 'agents.db'));
  const names = { label: 'project', location: folder, nameStore: (name: string) => storeIdFrom(name, () => false) };
  const sources = await createRegistry(foreignSystems).open(folder, names);
  expect(sources.every(({ info }) => info.system === 'mastra')).toBe(true);
  expect(sources.length).toBeGreaterThan(0);
});

it.each([
  [
    'a conversation of /chat save',
    'save.json',
    JSON.stringify([{ role: 'user', parts: [{ text: 'Hi' }] }]),
    /Gemini CLI/,
  ],
  ['UTF-16', 'notes.json', Buffer.from('\uFEFF{"a": 1}', 'utf16le'), /byte order mark of UTF-16/],
])('names what it saw in %s, and how to describe it', async (_what, name, bytes, words) => {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, bytes);
  const error: unknown = await createRegistry(foreignSystems)
    .open(path, options)
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'no_store', message: words, remedy: /checkpoint-inspector map/ });
});

it('names opencode before 1.2 by its flat files', async () => {
  const folder = await temporaryFolder();
  for (const kind of ['session/p', 'message/s', 'part/m']) {
    await mkdir(join(folder, 'storage', kind), { recursive: true });
    await writeFile(join(folder, 'storage', kind, 'x.json'), '{"id":"x"}');
  }
  await expect(createRegistry(foreignSystems).open(folder, options)).rejects.toMatchObject({
    message: expect.stringContaining('opencode before 1.2'),
  });
});

it('knows a home by its content: a copy of one under another name is the same', async () => {
  const home = await copyOfHome();
  const moved = join(home, '../backup');
  await rename(home, moved);
  const names = { label: 'backup', location: moved, nameStore: storeId };
  const [source] = await createRegistry(foreignSystems).open(moved, names);
  expect(source?.info).toMatchObject({ system: 'claude-code', private: true });
});

describeWithPostgres('a PostgreSQL database', () => {
  it('without a known store is called what it is; with one it opens by its address', async () => {
    const database = await postgresForTests();
    const registry = createRegistry(foreignSystems);
    const error: unknown = await registry.open(database.url, options).catch((caught: unknown) => caught);
    const message = expect.stringMatching(/checkpoints, checkpoint_blobs, checkpoint_writes/);
    expect(error).toMatchObject({ code: 'no_store', message, remedy: expect.stringContaining('?schema=') });
    const { username, password } = new URL(database.url);
    expect(String(error)).not.toContain(`${username}:${password}@`);
    await database.close();
  });
});
