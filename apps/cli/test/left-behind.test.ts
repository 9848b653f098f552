import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { basename } from 'node:path';
import { expect, it, vi } from 'vitest';
import { CLI, workplace } from './run.ts';

const BUNDLE = JSON.stringify({
  format: 'checkpoint-inspector/bundle',
  version: 1,
  redacted: true,
  store: { label: 'x', system: 'native', latestRule: 'r', volatilePaths: [] },
  masked: [],
  leftOut: [],
  tasks: [{ task: { id: 't' }, checkpoints: [] }],
});

/** The built server over one store, with temporary files and state of its own. */
async function served(prefix = '') {
  const place = workplace();
  const temp = place.path('temp');
  mkdirSync(temp);
  const path = place.langgraph();
  // SQLite's side file can't be made, so that the server reads a private copy.
  symlinkSync('/nowhere/at-all', `${path}-shm`);
  const env = { ...process.env, TMPDIR: temp, CHECKPOINT_INSPECTOR_STATE: place.state };
  const command = `${prefix} exec "${process.execPath}" "${CLI}" open "${path}" --no-open --json --port 0`;
  const child = spawn('/bin/sh', ['-c', command], { cwd: place.folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  const { origin, hash } = new URL(url);
  const headers = { authorization: `Bearer ${hash.slice('#token='.length)}`, 'content-type': 'application/json' };
  const listed = (): { path: string; owner: string }[] => {
    const { out } = place.startWith({ TMPDIR: temp }, 'doctor', '--json');
    return (JSON.parse(out) as { outside: { path: string; owner: string }[] }).outside;
  };
  return { place, temp, path, child, origin, headers, listed };
}

const kinds = (temp: string): (string | undefined)[] =>
  readdirSync(temp)
    .filter((name) => name.startsWith('checkpoint-inspector-'))
    .map((name) => name.split('-')[2])
    .toSorted();

it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  'nothing is left that doctor does not list after %s and the next start',
  async (signal) => {
    const { place, temp, path, child, origin, headers, listed } = await served();
    const sent = await fetch(`${origin}/api/bundles?name=case.json`, { method: 'POST', headers, body: BUNDLE });
    expect(sent.status).toBe(201);
    await vi.waitFor(() => expect(kinds(temp)).toEqual(['bundle', 'copy']), 20_000);
    expect(
      listed()
        .filter(({ path: at }) => at.startsWith(temp))
        .map(({ owner }) => owner),
    ).toEqual(['running', 'running']);

    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    // Its child takes its own copy away when the channel ends.
    await vi.waitFor(() => expect(kinds(temp)).toEqual(signal === 'SIGKILL' ? ['bundle'] : []), 20_000);
    if (signal === 'SIGKILL') expect(listed().map(({ owner }) => owner)).toContain('gone');

    expect(place.startWith({ TMPDIR: temp }, 'tasks', '-s', path)).toMatchObject({ code: 0 });
    expect(readdirSync(temp)).toEqual([]);
    const files = new Set(listed().map(({ path: at }) => basename(at)));
    const left = readdirSync(place.state).filter((name) => !files.has(name.replace(/-(wal|shm|journal)$/, '')));
    expect(left).toEqual([]);
  },
);

it('answers beside a hundred connections that send nothing, with 64 descriptors', async () => {
  const { child, origin, headers } = await served('ulimit -n 64;');
  const sockets: Socket[] = [];
  try {
    const { port } = new URL(origin);
    for (let at = 0; at < 100; at++) sockets.push(connect(Number(port), '127.0.0.1').on('error', () => undefined));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const answer = await fetch(`${origin}/api/tasks`, { headers, signal: AbortSignal.timeout(5_000) });
    expect(answer.status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
});

it.each([20, 21, 22])('says how to allow more open files where %i are allowed', (limit) => {
  const place = workplace();
  const command = `ulimit -n ${limit}; exec "${process.execPath}" "${CLI}" tasks -s "${place.langgraph()}"`;
  const { status, stderr } = spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' });
  // How many a version of Node needs for itself differs.
  if (status === 0) return;
  expect(stderr).toMatch(/^error: Too many files are open.*\n.*ulimit -n 1024/);
});
