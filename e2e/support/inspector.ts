import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** The built command of this checkout, or another one, such as the unpacked npm package. */
export const CLI =
  process.env['CHECKPOINT_INSPECTOR_CLI'] ??
  resolve(import.meta.dirname, '../../apps/cli/bin/checkpoint-inspector.mjs');

export interface Inspector {
  /** The link that the program prints, token included. */
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  /** Good at /mcp alone. */
  readonly mcpToken: string;
  readonly port: number;
  /** The folder of the journal. */
  readonly state: string;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly port?: number;
  readonly token?: string;
  /** A journal that outlives this run; without it the journal is removed at the end. */
  readonly state?: string;
}

/** Starts the real command with a journal of its own, on a free port. */
export async function startInspector(args: readonly string[], options: StartOptions = {}): Promise<Inspector> {
  const state = options.state ?? mkdtempSync(join(tmpdir(), 'inspector-state-'));
  const token = options.token === undefined ? [] : ['--token', options.token];
  const child = spawn(
    process.execPath,
    [CLI, ...args, '--no-open', '--json', '--port', String(options.port ?? 0), ...token],
    {
      env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: state },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const { url, mcp } = await startLine(child);
  const { origin, hash, port } = new URL(url);
  return {
    url,
    origin,
    token: new URLSearchParams(hash.slice(1)).get('token') ?? '',
    mcpToken: mcp.token,
    port: Number(port),
    state,
    async stop() {
      await ended(child);
      if (options.state === undefined) rmSync(state, { recursive: true, force: true });
    },
  };
}

/** Runs a scripting command with `--json` and returns what it prints; `state` is the folder of its journal. */
export async function runCli(args: readonly string[], state: string): Promise<unknown> {
  const env = { ...process.env, CHECKPOINT_INSPECTOR_STATE: state };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args, '--json'], {
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as unknown;
}

interface StartLine {
  readonly url: string;
  readonly mcp: { readonly token: string };
}

function startLine(child: ChildProcess): Promise<StartLine> {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const end = out.indexOf('\n');
      if (end >= 0) resolve(JSON.parse(out.slice(0, end)) as StartLine);
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
