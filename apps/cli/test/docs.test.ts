import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examplesOf, linesOf } from './pages.ts';
import { CLI } from './run.ts';

const PACKAGE = resolve(import.meta.dirname, '..');
const page = (name: string): string => readFileSync(join(PACKAGE, 'docs', name), 'utf8');
const recipes = examplesOf(page('own-agent.md'), 'js');

describe('the pages for newcomers', () => {
  let folder: string;
  const run = (command: string, ...args: string[]) => {
    const env = { ...process.env, CHECKPOINT_INSPECTOR_STATE: join(folder, '.state') };
    const done = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8', timeout: 120_000 });
    return { code: done.status, out: done.stdout, err: done.stderr };
  };
  /** `npx` in an installed project starts the same file. */
  const inShell = (line: string) => run('sh', '-c', `npx() { shift; "${process.execPath}" "${CLI}" "$@"; }\n${line}`);
  const program = (heading: string) => {
    writeFileSync(join(folder, 'agent.mjs'), recipes.find((one) => one.heading === heading)?.code ?? '');
    return run(process.execPath, 'agent.mjs');
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'docs-'));
    mkdirSync(join(folder, 'node_modules/@langchain'), { recursive: true });
    symlinkSync(PACKAGE, join(folder, 'node_modules/checkpoint-inspector'));
    const langgraph = 'node_modules/@langchain/langgraph';
    symlinkSync(realpathSync(join(PACKAGE, '../../packages/stores', langgraph)), join(folder, langgraph));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('need at most ten lines until checkpoints show', () => {
    expect(recipes.map(({ heading }) => heading)).toEqual([
      'A plain loop',
      'LangGraph',
      'Vercel AI SDK',
      'OpenAI Agents SDK',
    ]);
    for (const { heading, code } of recipes) expect([heading, linesOf(code).length > 10]).toEqual([heading, false]);
  });

  it('show a plain loop whose checkpoints open, and commands that work on them', { timeout: 240_000 }, () => {
    expect(program('A plain loop')).toEqual({ code: 0, out: '', err: '' });
    const commands = examplesOf(page('start.md'), 'sh')
      .flatMap(({ code }) => linesOf(code))
      .filter((line) => line.includes('agent.db'));
    expect(commands.length).toBeGreaterThan(8);
    for (const line of commands) expect({ line, ...inShell(line) }).toMatchObject({ line, code: 0 });
    expect(inShell('npx checkpoint-inspector list report -s agent.db').out).toContain('step-3');
  });

  it('show a graph whose thread opens', () => {
    expect(program('LangGraph')).toEqual({ code: 0, out: '', err: '' });
    const shown = inShell('npx checkpoint-inspector show chat/latest -s agent.db');
    expect(shown.out).toContain('Hello!');
  });
});
