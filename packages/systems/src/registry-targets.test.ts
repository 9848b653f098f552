import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { foreignSystems, createRegistry, resolveTarget } from './registry.ts';

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
  expect(await registry.detect(SECRET)).toEqual([]);
  const options = { label: 'x', location: 'x', nameStore: () => expect.unreachable() };
  const error: unknown = await registry.open(SECRET, options).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'unsupported', message: expect.stringContaining('"postgres://db.local/app"') });
  expect(JSON.stringify(error)).not.toMatch(/ann|hunter2/);
});
