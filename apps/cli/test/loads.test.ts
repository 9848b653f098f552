import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CLI, workplace } from './run.ts';

const DIST = join(dirname(CLI), '../dist');
/** Names that only the server's libraries have. */
const SERVER = ['HonoRequest', 'OpenAPIHono', 'McpServer'];

const place = workplace();
const coverage = mkdtempSync(join(tmpdir(), 'cli-loads-'));
afterAll(() => rmSync(coverage, { recursive: true, force: true }));

/** Every file that the built command loads. */
function loadedBy(name: string, ...args: string[]): string[] {
  const folder = join(coverage, name);
  expect(place.startWith({ NODE_V8_COVERAGE: folder }, ...args)).toMatchObject({ code: 0 });
  const reports = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const urls = reports.flatMap((text) =>
    (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
  return urls.filter((url) => url.startsWith('file:')).map((url) => readFileSync(new URL(url), 'utf8'));
}

it.each(['--version', '-V'])('%s loads nothing but the file that is called', (option) => {
  expect(loadedBy(option, option)).toHaveLength(1);
});

describe('a verb that only looks', () => {
  const kaizen = place.kaizen();

  it.each([
    ['list', ['list', 'research_agent']],
    ['show', ['show', 'research_agent/latest']],
  ])('%s loads no part of the server', (name, args) => {
    const loaded = loadedBy(name, ...args, '-s', kaizen);
    expect(loaded.length).toBeGreaterThan(3);
    for (const word of SERVER) expect(loaded.filter((text) => text.includes(word))).toEqual([]);
  });

  it('would be seen to: the server is built with those names', () => {
    const chunks = readdirSync(join(DIST, 'chunks')).map((file) => readFileSync(join(DIST, 'chunks', file), 'utf8'));
    for (const word of SERVER) expect(chunks.some((text) => text.includes(word))).toBe(true);
  });
});
