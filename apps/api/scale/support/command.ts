import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';

const CLI =
  process.env['CHECKPOINT_INSPECTOR_CLI'] ?? resolve(import.meta.dirname, '../../../cli/bin/checkpoint-inspector.mjs');

/** The built command, serving on a free port. */
export interface Command {
  readonly origin: string;
  readonly headers: { readonly authorization: string };
  readonly get: (path: string) => Promise<Response>;
  /** Resident memory now, in bytes. Linux only. */
  readonly memory: () => number;
  /** Processor time that it has used, in milliseconds, to the nearest ten. Linux only. */
  readonly processorMs: () => number;
  /** Open file descriptors now. Linux only. */
  readonly descriptors: () => number;
  readonly pid: number;
  /** The longest that its main thread was held by one thing since the last question, with a `probe` alone. Linux only. */
  readonly heldMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** @param probe the bundled `held-probe.ts` */
export async function startCommand(targets: readonly string[], state: string, probe?: URL): Promise<Command> {
  const loaded = probe === undefined ? [] : ['--import', probe.href];
  const child = spawn(process.execPath, [...loaded, CLI, ...targets, '--no-open', '--json', '--port', '0'], {
    env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: state },
    stdio: ['ignore', 'pipe', 'inherit', ...(probe === undefined ? [] : (['ipc'] as const))],
  });
  const { url, pid } = await new Promise<{ url: string; pid: number }>((done, fail) => {
    child.stdout?.once('data', (line: Buffer) => done(JSON.parse(line.toString()) as { url: string; pid: number }));
    child.once('exit', (code) => fail(new Error(`The command ended with ${code}.`)));
  });
  const { origin, hash } = new URL(url);
  const headers = { authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get('token') ?? ''}` };
  return {
    origin,
    pid,
    headers,
    get: (path) => fetch(`${origin}/api/${path}`, { headers }),
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024,
    processorMs: () => {
      const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').slice(11) ?? [];
      return 10 * (Number(user) + Number(system));
    },
    descriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    heldMs: () =>
      new Promise((done) => {
        child.once('message', (most) => done(Number(most)));
        child.send('held');
      }),
    stop: () =>
      new Promise((done) => {
        child.once('exit', () => done());
        child.kill('SIGTERM');
      }),
  };
}

/** Processor time of a process and of those that it has started and that run, in milliseconds. Linux only. */
export function processorMsOf(pid: number): number {
  let ms = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const at = `/proc/${pid}/task/${task}`;
    ms += Number(readFileSync(`${at}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    const children = readFileSync(`${at}/children`, 'utf8').trim();
    for (const child of children === '' ? [] : children.split(' ')) ms += processorMsOf(Number(child));
  }
  return ms;
}

/**
 * Puts processes on one core: where client and server have one each, every answer wakes the other's, and a server that
 * takes 5 µs longer seems to take 17. False where the machine has no `taskset`; they run anywhere then.
 */
export const onOneCore = (pids: readonly number[]): boolean =>
  pids.flatMap(withChildren).every((pid) => spawnSync('taskset', ['-a', '-c', '-p', '0', `${pid}`]).status === 0);

function withChildren(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}/children`);
  const children = tasks.flatMap((file) => readFileSync(file, 'utf8').split(' ').filter(Boolean));
  return [pid, ...children.flatMap((child) => withChildren(Number(child)))];
}

/** The value below which `share` of all values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
