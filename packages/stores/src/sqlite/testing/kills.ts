/** Kills a process while it saves, and looks at what is left. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openSqliteStore } from '../store.ts';
import { numberIn, rowsOf } from './format-1.ts';
import { killState, type KillOrder } from './kill-child.ts';

/** Beside packages/io's modules, so that the bundle finds the SQLite driver. */
export const KILL_CHILD = fileURLToPath(
  new URL(`../../../../io/node_modules/.cache/kill-child-${process.pid}.mjs`, import.meta.url),
);

/** Node 20 runs no TypeScript, so the child is bundled; the bundler comes with the test runner. */
export async function bundleKillChild(): Promise<void> {
  const own = createRequire(import.meta.url);
  const vite = own.resolve('vite', { paths: [own.resolve('vitest')] });
  const { rolldown } = (await import(pathToFileURL(own.resolve('rolldown', { paths: [vite] })).href)) as {
    rolldown: (options: object) => Promise<{ write: (to: object) => Promise<unknown>; close: () => Promise<void> }>;
  };
  const input = fileURLToPath(new URL('kill-child.ts', import.meta.url));
  const build = await rolldown({ input, platform: 'node', external: ['@parcel/watcher'], logLevel: 'silent' });
  await build.write({ file: KILL_CHILD, format: 'esm', codeSplitting: false });
  await build.close();
}

/** Every line that the child wrote until it ended; with `afterMs` it is killed so long after its first one. */
export function runChild(order: KillOrder, afterMs?: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [KILL_CHILD, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let problem = '';
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (problem += data.toString()));
    if (afterMs !== undefined) child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), afterMs));
    child.on('close', (_, signal) => {
      if (signal === 'SIGKILL') resolve(out.split('\n').slice(0, -1));
      else reject(new Error(`The child ended by itself. ${problem}`));
    });
  });
}

/** What is wrong after so many kills: acknowledged saves that are lost or differ, removed ones that came back. */
export async function defectsAfterKills(
  path: string,
  rounds: number,
): Promise<{ acknowledged: number; defects: string[] }> {
  const there = new Map<number, boolean>();
  const defects: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const last = Math.max(0, ...there.keys());
    const lines = await runChild({ path, from: last + 2 }, (round * 29) % 120);
    for (const line of lines) there.set(Number(line.slice(1)), line.startsWith('s'));
    // The removal after the last save may have been done, though nobody was told.
    const lastLine = lines.at(-1) ?? '';
    if (lastLine.startsWith('s')) there.delete(Number(lastLine.slice(1)) - 2);
    defects.push(...(await lookAt(path, there)).map((defect) => `round ${round}: ${defect}`));
  }
  return { acknowledged: there.size, defects };
}

async function lookAt(path: string, there: ReadonlyMap<number, boolean>): Promise<string[]> {
  const defects: string[] = [];
  const store = await openSqliteStore({ path, readOnly: true });
  const listed = new Set<string>();
  for await (const { id } of store.lineage('t')) {
    listed.add(id);
    const text = (await store.state({ task: 't', id }))?.text;
    if (text !== JSON.stringify(killState(Number(id.slice(1))))) defects.push(`${id} differs`);
  }
  for (const [n, isSaved] of there)
    if (listed.has(`c${n}`) !== isSaved) defects.push(`c${n} is ${isSaved ? 'lost' : 'back'}`);
  await store.close();
  const [integrity] = rowsOf(path, 'PRAGMA integrity_check');
  if (integrity?.['integrity_check'] !== 'ok') defects.push('damaged');
  const missing = numberIn(path, 'SELECT count(*) FROM checkpoints WHERE root NOT IN (SELECT id FROM nodes)');
  return missing === 0 ? defects : [...defects, `${missing} roots are missing`];
}
