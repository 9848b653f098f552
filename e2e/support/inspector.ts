import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const CLI = resolve(import.meta.dirname, '../../apps/cli/bin/checkpoint-inspector.mjs');

export interface Inspector {
  /** The link that the program prints, token included. */
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  /** The journal's folder. */
  readonly state: string;
  stop(): Promise<void>;
}

/** Starts the real command with a state folder of its own, on a free port. */
export async function startInspector(args: readonly string[], options: { port?: number; token?: string; state?: string } = {}): Promise<Inspector> {
  const state = options.state ?? mkdtempSync(join(tmpdir(), 'inspector-state-'));
  const port = String(options.port ?? 0);
  const token = options.token === undefined ? [] : ['--token', options.token];
  const child = spawn(process.execPath, [CLI, ...args, '--no-open', '--json', '--port', port, ...token], {
    env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: state },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { url } = await startLine(child);
  const { origin, hash } = new URL(url);
  return {
    url,
    origin,
    token: new URLSearchParams(hash.slice(1)).get('token') ?? '',
    state,
    async stop() {
      await ended(child);
      if (options.state === undefined) rmSync(state, { recursive: true, force: true });
    },
  };
}

function startLine(child: ChildProcess): Promise<{ url: string; pid: number }> {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const end = out.indexOf('\n');
      if (end >= 0) resolve(JSON.parse(out.slice(0, end)));
    });
    child.once('exit', (code) => reject(new Error(`The inspector ended with ${code}: ${err}`)));
  });
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const done = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  return done;
}
