import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { CLI, workplace } from './run.ts';

/** As on a machine where the driver was never built: whatever asks for it is told that it is missing. */
const NO_DRIVER = `
const Module = require('node:module');
const load = Module._load;
Module._load = function (name, ...rest) {
  if (/^better-sqlite3/.test(name)) throw Object.assign(new Error('Could not locate the bindings file.'), { code: 'MODULE_NOT_FOUND' });
  return load.call(this, name, ...rest);
};
`;

describe('reading on a fresh machine', () => {
  const place = workplace();
  const kaizen = place.kaizen();

  it.each([
    ['tasks', ['tasks']],
    ['list', ['list', 'research_agent']],
    ['tree', ['tree', 'research_agent']],
    ['show', ['show', 'research_agent/latest']],
    ['history', ['history', 'research_agent', '$.step_number']],
    ['diff', ['diff', 'research_agent/latest~1', 'research_agent/latest']],
    ['errors', ['errors']],
    ['inbox', ['inbox']],
    ['usage', ['usage']],
    ['storage', ['storage']],
    ['growth', ['growth', 'research_agent']],
    ['label without a label', ['label', 'research_agent/latest']],
    ['a plan', ['restore', 'research_agent/latest~1', '--dry-run']],
    ['verify', ['verify']],
    ['receipts', ['receipts']],
    ['trash', ['trash']],
    ['doctor', ['doctor']],
  ])('%s leaves no journal', (_, args) => {
    const stores = args[0] === 'trash' || args[0] === 'doctor' ? [] : ['-s', kaizen];
    expect(place.start(...args, ...stores)).toMatchObject({ code: 0, err: '' });
    expect(place.hasState()).toBe(false);
  });

  it('doctor says what makes the journal, and it is so', () => {
    const fresh = workplace();
    const store = fresh.kaizen();
    expect(fresh.start('doctor').out).toContain('created by the first change, label or note');
    expect(fresh.start('label', 'research_agent/latest', 'good', '-s', store)).toMatchObject({ code: 0 });
    expect(fresh.hasState()).toBe(true);
    expect(fresh.start('doctor').out).not.toContain('created by the first change');
  });
});

describe('where the SQLite driver does not load', () => {
  const place = workplace();
  const kaizen = place.kaizen();
  const hook = place.path('no-driver.cjs');
  writeFileSync(hook, NO_DRIVER);
  const env = { NODE_OPTIONS: `--require=${hook}` };
  const run = (...args: string[]) => place.startWith(env, ...args, '-s', kaizen);

  it.each([
    ['tasks', ['tasks']],
    ['list', ['list', 'research_agent']],
    ['tree', ['tree', 'research_agent']],
    ['show', ['show', 'research_agent/latest']],
    ['history', ['history', 'research_agent', '$.step_number']],
    ['errors', ['errors']],
    ['storage', ['storage']],
    ['growth', ['growth', 'research_agent']],
    ['a plan', ['restore', 'research_agent/latest~1', '--dry-run']],
    ['verify', ['verify']],
    ['export', ['export', 'research_agent', '--dry-run']],
  ])('%s works on a folder', (_, args) => expect(run(...args)).toMatchObject({ code: 0, err: '' }));

  it.each([
    ['search', ['search', 'x']],
    ['label', ['label', 'research_agent/latest', 'good']],
    ['restore', ['restore', 'research_agent/latest~1', '--yes']],
  ])('%s says which driver to install', (_, args) => {
    const done = run(...args);
    expect(done.code).toBe(ERROR_CODES.unsupported.exit);
    expect(done.err).toMatch(/SQLite driver .* not installed/);
    expect(done.err).toMatch(/better-sqlite3/);
    expect(done.err).not.toMatch(/\n\s+at /);
  });

  it('continues without the labels of a journal that is there, and reports it once', () => {
    expect(place.start('label', 'research_agent/latest', 'good', '-s', kaizen)).toMatchObject({ code: 0 });
    const done = run('list', 'research_agent');
    expect(done.code).toBe(0);
    expect(done.err.match(/labels, notes, proposals and recorded parents are not shown/g)).toHaveLength(1);
  });

  it('the page opens, and says what is off', async () => {
    const child = spawn(process.execPath, [CLI, kaizen, '--no-open', '--port', '0', '--json'], {
      env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: place.state, ...env },
    });
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(line.toString()) as { url: string };
    const { origin, hash } = new URL(url);
    const headers = { authorization: `Bearer ${hash.replace('#token=', '')}` };
    const answers = await Promise.all(
      ['tasks', 'stores/kaizen/tasks/research_agent/checkpoints', 'search?q=x'].map((path) =>
        fetch(`${origin}/api/${path}`, { headers }),
      ),
    );
    child.kill();
    await once(child, 'exit');
    expect(answers.map(({ status }) => status)).toEqual([200, 200, ERROR_CODES.unsupported.status]);
    expect(err).toContain('Search is off.');
  });

  it('doctor says that the driver is missing', () => {
    expect(place.startWith(env, 'doctor')).toMatchObject({ code: 1, out: expect.stringContaining('FAIL SQLite') });
  });
});
