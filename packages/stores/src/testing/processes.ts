/** Processes of their own that save while a test looks on. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ChildOrder } from './child.ts';

/** Beside packages/io's modules, so that the bundle finds the SQLite driver. */
const CHILD = fileURLToPath(new URL(`../../../io/node_modules/.cache/store-child-${process.pid}.mjs`, import.meta.url));

/** Node 20 runs no TypeScript, so the child is bundled; the bundler comes with the test runner. */
export async function bundleChild(
  input: URL = new URL('child.ts', import.meta.url),
  file: string = CHILD,
): Promise<void> {
  const own = createRequire(import.meta.url);
  const vite = own.resolve('vite', { paths: [own.resolve('vitest')] });
  const { rolldown } = (await import(pathToFileURL(own.resolve('rolldown', { paths: [vite] })).href)) as {
    rolldown: (options: object) => Promise<{ write: (to: object) => Promise<unknown>; close: () => Promise<void> }>;
  };
  const external = ['@parcel/watcher', /^@langchain\//];
  const build = await rolldown({ input: fileURLToPath(input), platform: 'node', external, logLevel: 'silent' });
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
}

export const removeChild = (): void => rmSync(CHILD, { force: true });

export interface Child {
  /** What it wrote so far, whole lines. */
  lines(): readonly string[];
  kill(): void;
  isOver(): boolean;
  /** Every line, once it has ended by a kill or with its work done. @throws Error with what it complained of */
  readonly ended: Promise<readonly string[]>;
}

/** `through` is a program, with its first arguments, that starts it. */
export function startChild(
  order: ChildOrder,
  onLine: () => void = () => undefined,
  through: readonly string[] = [],
): Child {
  return startProgram(CHILD, order, onLine, through);
}

export function startProgram(
  file: string,
  order: object,
  onLine: () => void = () => undefined,
  through: readonly string[] = [],
): Child {
  const [program, ...args] = [...through, process.execPath, file, JSON.stringify(order)];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let problem = '';
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
    onLine();
  });
  child.stderr.on('data', (data: Buffer) => (problem += data.toString()));
  const lines = () => out.split('\n').slice(0, -1);
  const ended = new Promise<readonly string[]>((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (problem === '' && (code === 0 || signal === 'SIGKILL')) resolve(lines());
      else reject(new Error(`The child ended with ${code ?? signal}. ${problem}`));
    });
  });
  return { lines, kill: () => child.kill('SIGKILL'), isOver: () => child.exitCode !== null, ended };
}

/** Every line of one that is killed so long after its first one. */
export function killedAfter(order: ChildOrder, ms: number): Promise<readonly string[]> {
  let isTimed = false;
  const child = startChild(order, () => {
    if (isTimed) return;
    isTimed = true;
    setTimeout(() => child.kill(), ms);
  });
  return child.ended;
}
