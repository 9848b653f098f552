import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { openSources, temporaryFolder } from '@checkpoint-inspector/systems/testing/ctx-sys/test-store';

const folder = temporaryFolder();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Node 20 runs no TypeScript: Vite's loader does. */
const LOADER = `
import { createViteServer } from 'vitest/node';
const options = { configFile: false, appType: 'custom', logLevel: 'error', server: { middlewareMode: true, hmr: false, ws: false, watch: null } };
const server = await createViteServer({ ...options, optimizeDeps: { noDiscovery: true } });
await server.ssrLoadModule(process.argv[1]);
await server.close();
`;

interface Told {
  readonly step?: string;
  readonly hangs?: string;
  readonly success?: boolean;
  readonly error?: string;
  readonly metrics?: object;
}

function agent(path: string, network: 'online' | 'offline') {
  const script = new URL('./test-agent.ts', import.meta.url).pathname;
  const root = new URL('../..', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--input-type=module', '-e', LOADER, script, path, network], { cwd: root });
  children.push(child);
  let errors = '';
  child.stderr.on('data', (text) => (errors += String(text)));
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) =>
    child.on('exit', (code, signal) => resolve(signal ?? code)),
  );
  const told: Told[] = [];
  const lines = createInterface({ input: child.stdout });
  const until = (found: (one: Told) => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      lines.on('line', (line) => {
        told.push(JSON.parse(line) as Told);
        if (found(told.at(-1) ?? {})) resolve();
      });
      void ended.then((how) => reject(new Error(`The agent ended (${how}): ${errors}`)));
    });
  return { child, ended, told, until };
}

test('a research agent fails at step 2, is killed, resumes in a new process and completes; it is seen live', async () => {
  const path = join(folder, 'agent.db');
  const first = agent(path, 'offline');
  await first.until(({ hangs }) => hangs === '2');
  const [source] = await openSources(path);
  if (!source) throw new Error('The agent has made its database.');
  const failed = (await source.tasks()).items[0];
  expect(failed).toMatchObject({ id: 'research', status: 'failed', lastError: 'API timeout', checkpointCount: 2 });
  first.child.kill('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');
  expect(first.told.filter(({ step }) => step).map(({ step }) => step)).toEqual(['1', '2', '2']);

  let changes = 0;
  const stop = source.watch?.(() => changes++);
  const second = agent(path, 'online');
  await second.until(({ success }) => success === true);
  expect(await second.ended).toBe(0);
  expect(second.told.map(({ step }) => step)).toEqual(['2', '3', undefined]);
  expect(second.told.at(-1)?.metrics).toMatchObject({ checkpoint_resume_count: 1, steps_recovered: 1 });
  await expect.poll(() => changes).toBeGreaterThan(0);
  const done = (await source.tasks()).items[0];
  expect(done).toMatchObject({ status: 'completed', checkpointCount: 5 });
  expect((await source.checkpoints('research')).items[0]?.description).toBe('Execution complete');
  stop?.();
  await source.close?.();
});
