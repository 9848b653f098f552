import { spawn, spawnSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { CLI, workplace } from './run.ts';

const script = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '';
const hasTerminal = script.includes('util-linux');
const TIMEOUT = 30_000;

/** A process whose output is waited for. */
function started(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(command, args, { env: { ...process.env, ...env } });
  let out = '';
  let err = '';
  let onOutput = (): void => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    onOutput();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    onOutput();
  });
  const closed = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  const heard = (isThere: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      onOutput = () => (isThere() ? resolve() : undefined);
      onOutput();
    });
  return {
    child,
    closed,
    out: () => out,
    until: (text: string) => heard(() => out.includes(text)),
    untilError: (text: string) => heard(() => err.includes(text)),
  };
}

describe('--watch', async () => {
  const place = workplace();
  const path = place.path('agents.db');
  const store = await openSqliteStore({ path });
  await store.save({ task: 'run', id: 'cp-1', text: '{"n":1}', status: 'running' });
  const env = { CHECKPOINT_INSPECTOR_STATE: place.state };
  const watching = (...args: string[]) => started(process.execPath, [CLI, ...args, '--watch', '-s', path], env);

  it(
    'prints each new item as a line of JSON, and ends well by Ctrl-C',
    async () => {
      const run = watching('list', 'run', '--jsonl');
      await run.until('cp-1');
      await store.save({ task: 'run', id: 'cp-2', text: '{"n":2}' });
      await run.until('cp-2');
      run.child.kill('SIGINT');
      expect(await run.closed).toEqual({ code: 0, signal: null });
      const rows = run
        .out()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { id: string; isLatest: boolean });
      expect(rows.filter(({ id }) => id === 'cp-2')).toMatchObject([{ isLatest: true }]);
      // It was the latest, and is not any more.
      expect(rows.filter(({ id }) => id === 'cp-1').map(({ isLatest }) => isLatest)).toEqual([true, false]);
    },
    TIMEOUT,
  );

  it.each([['tasks'], ['errors']])(
    'prints %s again when something has failed',
    async (verb) => {
      const run = watching(verb, '--json');
      await run.until('\n');
      const id = `cp-of-${verb}`;
      await store.save({ task: id, id, text: '{}', status: 'failed', description: 'timeout' });
      await run.until(id);
      run.child.kill('SIGTERM');
      expect(await run.closed).toEqual({ code: 0, signal: null });
      const frames = run.out().trimEnd().split('\n');
      expect(frames.length).toBeGreaterThan(1);
      expect(new Set(frames).size).toBe(frames.length);
      for (const frame of frames) expect(JSON.parse(frame)).toHaveProperty('items');
    },
    TIMEOUT,
  );

  it(
    'prints the inbox again when a task waits for a person, in a folder too',
    async () => {
      const folder = place.runStates();
      const { items } = (await place.json('inbox', '-s', folder)) as { items: { at: { id: string } }[] };
      const id = items[0]?.at.id ?? expect.fail();
      renameSync(join(folder, `${id}.json`), place.path('waiting.json'));
      const run = started(process.execPath, [CLI, 'inbox', '--watch', '--jsonl', '-s', folder], env);
      await run.untilError('page');
      expect(run.out()).not.toContain(id);
      renameSync(place.path('waiting.json'), join(folder, `${id}.json`));
      await run.until(id);
      run.child.kill('SIGINT');
      expect(await run.closed).toEqual({ code: 0, signal: null });
    },
    TIMEOUT,
  );

  it(
    'ends when nobody reads it any more',
    async () => {
      const run = watching('list', 'run', '--jsonl');
      await run.until('cp-1');
      run.child.stdout.destroy();
      for (let n = 0; n < 2; n++) await store.save({ task: 'run', id: `unread-${n}`, text: '{}' });
      expect(await run.closed).toEqual({ code: 0, signal: null });
    },
    TIMEOUT,
  );

  it('ends with its reason where the first look fails', async () => {
    expect((await place.run('list', 'nothing', '--watch', '-s', path)).code).toBe(4);
  });

  it.skipIf(!hasTerminal)(
    'redraws a terminal, and gives it back by Ctrl-C',
    async () => {
      // The shell gets the Ctrl-C too, and is to stay and tell how the command ended.
      const line = `trap : INT; stty cols 100 rows 8; '${process.execPath}' '${CLI}' list run --watch -s '${path}'; echo "ended $?"`;
      const run = started('script', ['-qec', line, '/dev/null'], { ...env, TERM: 'xterm', NO_COLOR: '1' });
      await run.until('Ctrl-C ends.');
      for (let n = 0; n < 9; n++) await store.save({ task: 'run', id: `seen-${n}`, text: '{}' });
      await run.until('seen-8');
      run.child.stdin.write('\u0003');
      expect(await run.closed).toMatchObject({ code: 0 });
      const out = run.out();
      expect(out.startsWith('\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[H')).toBe(true);
      expect(out).toMatch(/… \d+ more lines/);
      const [, after] = out.split('\u001B[?7h\u001B[?25h\u001B[?1049l');
      expect(after).toMatch(/ended 0\s*$/);
    },
    TIMEOUT,
  );
});

describe('filters of lists', async () => {
  const place = workplace();
  const store = await openSqliteStore({ path: place.path('agents.db') });
  const save = (n: number) =>
    store.save({ task: 'run', id: `cp-${n}`, text: '{}', status: n % 3 === 0 ? 'failed' : 'completed' });
  for (let n = 0; n < 20; n++) await save(n);
  await store.save({ task: 'good', id: 'good-1', text: '{}', status: 'completed' });
  await store.close();
  type List = { items: { id: string; status: string; createdAt: string }[]; cursor?: string };
  const list = async (...args: string[]) => (await place.json(...args, '-s', 'agents.db')) as List;
  const idsOf = ({ items }: List) => items.map(({ id }) => id);

  it('list a status page by page, nothing skipped or repeated', async () => {
    const failed = ['cp-18', 'cp-15', 'cp-12', 'cp-9', 'cp-6', 'cp-3', 'cp-0'];
    expect(idsOf(await list('list', 'run', '--status', 'failed'))).toEqual(failed);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const at = cursor === undefined ? [] : ['--cursor', cursor];
      const page = await list('list', 'run', '--status', 'failed', '--limit', '3', ...at);
      expect(page.items.length).toBeLessThanOrEqual(3);
      found.push(...idsOf(page));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(found).toEqual(failed);
  });

  it('list what was saved since a time', async () => {
    const { items } = await list('list', 'run');
    const from = items[4]?.createdAt ?? '';
    const since = items.filter(({ createdAt }) => createdAt >= from).map(({ id }) => id);
    expect(idsOf(await list('list', 'run', '--since', from))).toEqual(since);
    expect(idsOf(await list('list', 'run', '--since', '2999-01-01'))).toEqual([]);
    expect((await list('tasks', '--since', '1h')).items).toHaveLength(2);
    expect((await list('tasks', '--since', '2999-01-01')).items).toEqual([]);
    expect((await list('errors', '--since', '1h')).items).toMatchObject([{ count: 7 }]);
    expect((await list('errors', '--since', '2999-01-01')).items).toEqual([]);
    expect((await list('inbox', '--since', '1h')).items).toEqual([]);
    const none = async (verb: string) => (await place.run(verb, '--since', '2999-01-01', '-s', 'agents.db')).out;
    expect(await none('errors')).toContain('No checkpoint is known to have failed since 2999-01-01T00:00:00.000Z.');
    expect(await none('inbox')).toContain('Nothing saved since 2999-01-01T00:00:00.000Z is waiting for a person.');
  });

  it('list tasks of a status', async () => {
    expect((await list('tasks', '--status', 'completed')).items.map(({ id }) => id)).toContain('good');
    expect((await list('tasks', '--status', 'pending')).items).toEqual([]);
  });

  it('refuse what they do not know', async () => {
    expect((await place.run('list', 'run', '--since', 'yesterday', '-s', 'agents.db')).err).toContain('--since');
    expect((await place.run('tasks', '--status', 'odd', '-s', 'agents.db')).err).toContain('Allowed choices');
  });
});

describe('--jsonl', () => {
  const place = workplace();

  it('prints one item a line, and the rest of the page beside it', async () => {
    const kaizen = place.kaizen();
    const { items } = (await place.json('list', 'research_agent', '-s', kaizen)) as { items: unknown[] };
    const all = await place.run('list', 'research_agent', '--jsonl', '-s', kaizen);
    expect(
      all.out
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toEqual(items);
    const some = await place.run('list', 'research_agent', '--jsonl', '--limit', '2', '-s', kaizen);
    expect(some.out.trimEnd().split('\n')).toHaveLength(2);
    expect(JSON.parse(some.err)).toMatchObject({ page: { cursor: expect.any(String) } });
  });

  it('prints a single answer on one line, and errors as JSON', async () => {
    const kaizen = place.kaizen();
    const shown = await place.run('show', 'research_agent/latest', '--meta', '--jsonl', '-s', kaizen);
    expect(JSON.parse(shown.out)).toHaveProperty('id');
    writeFileSync(place.path('odd.db'), 'x');
    expect(JSON.parse((await place.run('tasks', '--jsonl', '-s', 'odd.db')).err)).toHaveProperty('error.code');
  });
});
