import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { createProgram } from '../src/program.ts';
import { createOutput } from '../src/output.ts';
import { GROUPS } from '../src/verbs.ts';
import { exportsOf } from './exports.ts';
import { codesPart, commandsPart, libraryPart, routesPart, withPart, type OpenApi } from './reference.ts';
import { CLI, workplace } from './run.ts';

const DOCS = resolve(import.meta.dirname, '../docs');
const TYPES = resolve(import.meta.dirname, '../dist/types');

/** The page says what was generated now; `UPDATE_DOCS=1` writes it. */
function expectPart(file: string, name: string, part: string): void {
  const path = join(DOCS, file);
  const page = readFileSync(path, 'utf8');
  const now = withPart(page, name, part);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(path, now);
  else expect(page, 'UPDATE_DOCS=1 npx vitest run test/reference.test.ts writes it again').toBe(now);
}

it('the page of commands lists every verb with its options', async () => {
  const program = await createProgram({ version: '0.0.0', output: createOutput([]) });
  expectPart('commands.md', 'commands', commandsPart(program, Object.values(GROUPS)));
});

it('the page of troubleshooting lists every error', () => {
  expectPart('troubleshooting.md', 'codes', codesPart(ERROR_CODES));
});

it('the page of the library lists every published name', () => {
  const stored = JSON.parse(readFileSync(join(import.meta.dirname, 'exported-names.json'), 'utf8')) as object;
  const entries = Object.keys(stored).map((entry) => {
    const names = exportsOf(join(TYPES, `${entry}.d.ts`)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return [entry, names] as const;
  });
  expectPart('library.md', 'library', libraryPart(Object.fromEntries(entries)));
});

it('the page of the HTTP API lists every route', { timeout: 60_000 }, async () => {
  const place = workplace();
  const args = [CLI, place.kaizen(), '--no-open', '--port', '0', '--json'];
  const env = { ...process.env, CHECKPOINT_INSPECTOR_STATE: place.state };
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    const { origin, hash } = new URL((JSON.parse(line) as { url: string }).url);
    const token = new URLSearchParams(hash.slice(1)).get('token') ?? '';
    const answer = await fetch(`${origin}/api/openapi.json`, { headers: { authorization: `Bearer ${token}` } });
    expectPart('http-api.md', 'routes', routesPart((await answer.json()) as OpenApi));
  } finally {
    server.kill();
    await once(server, 'exit');
  }
});
