import { homedir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { expect, it } from 'vitest';
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
