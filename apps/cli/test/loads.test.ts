import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI, workplace } from './run.ts';

const DIST = resolve(dirname(CLI), '../dist');
/** Less than a sixth of what is built for the command; with room for what is added. */
const MOST_BYTES = 350_000;
const MOST_FILES = 12;
/** Words that only the server and its libraries have. */
const SERVER = ["This host name isn't allowed", 'Context is not finalized', 'Server does not support'];

const place = workplace();
const coverage = mkdtempSync(join(tmpdir(), 'cli-loads-'));
afterAll(() => rmSync(coverage, { recursive: true, force: true }));

const sum = (sizes: readonly number[]): number => sizes.reduce((total, bytes) => total + bytes, 0);

/** Every file of ours that the built command loads. */
function filesOf(name: string, ...args: string[]): URL[] {
  const folder = join(coverage, name);
  expect(place.startWith({ NODE_V8_COVERAGE: folder }, ...args)).toMatchObject({ code: 0 });
  const reports = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const urls = reports.flatMap((text) =>
    (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
  return urls.filter((url) => url.startsWith('file:')).map((url) => new URL(url));
}

/** Their texts. */
const loadedBy = (name: string, ...args: string[]): string[] =>
  filesOf(name, ...args).map((url) => readFileSync(url, 'utf8'));

it.each(['--version', '-V'])('%s loads nothing but the file that is called', (option) => {
  expect(loadedBy(option, option)).toHaveLength(1);
});

describe('the tasks of one database', () => {
  const systems = [
    'agent-framework',
    'ctx-sys',
    'kaizen',
    'langgraph',
    'langgraph-dev',
    'postgres',
    'rlm-act',
    'sqlite',
  ];
  const native = place.path('own.db');
  beforeAll(async () => {
    const store = await openSqliteStore({ path: native });
    await store.save({ task: 'run', id: 'cp-1', text: '{}' });
    await store.close();
  });

  it.each([
    ['own', native, ['sqlite']],
    ['langgraph', place.langgraph(), ['langgraph']],
    ['ctx-sys', place.ctxSys(), ['ctx-sys']],
  ])('load its own system alone: %s', (name, path, own) => {
    const files = filesOf(name, 'tasks', '-s', path).map(({ pathname }) => basename(pathname));
    expect(systems.filter((system) => files.some((file) => file.replace(/-[\w-]{8}\.js$/, '') === system))).toEqual(
      own,
    );
  });

  it('load less than 350 kB of code where the store is our own', () => {
    const files = filesOf('bytes', 'tasks', '-s', native).filter(({ pathname }) => pathname.startsWith(DIST));
    const sizes = files
      .map((url) => [statSync(url).size, basename(url.pathname)] as const)
      .toSorted(([a], [b]) => b - a);
    expect(sum(sizes.map(([bytes]) => bytes)), JSON.stringify(sizes)).toBeLessThan(MOST_BYTES);
    expect(files.length).toBeLessThan(MOST_FILES);
  });
});

it.each([
  ['label', ['label', '--help']],
  ['exit-codes', ['exit-codes']],
])('%s loads the module of its verb alone', (name, args) => {
  const texts = loadedBy(`verb ${name}`, ...args);
  expect(texts.filter((text) => text.includes('list all tasks, failed ones first'))).toEqual([]);
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

  it('would be seen to: the server is built with those words', () => {
    const chunks = readdirSync(join(DIST, 'chunks')).map((file) => readFileSync(join(DIST, 'chunks', file), 'utf8'));
    for (const word of SERVER) expect(chunks.some((text) => text.includes(word))).toBe(true);
  });
});
