import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { getCurrentTest } from 'vitest/suite';
import { runCommand } from '../src/program.ts';

export const CLI = resolve(import.meta.dirname, '../bin/checkpoint-inspector.mjs');
const SYSTEMS = resolve(import.meta.dirname, '../../../packages/systems/src');

export interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A folder with copies of real stores, and the command working in it. */
export function workplace() {
  const folder = mkdtempSync(join(tmpdir(), 'cli-test-'));
  const state = join(folder, '.state');
  const isInTest = getCurrentTest() !== undefined;
  (isInTest ? onTestFinished : afterAll)(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    state,
    path: (name: string) => join(folder, name),
    langgraph(name = 'checkpoints.sqlite', fixture = 'js.sqlite'): string {
      cpSync(join(SYSTEMS, 'langgraph/fixtures', fixture), join(folder, name));
      return join(folder, name);
    },
    kaizen(name = 'kaizen', fixture = 'plain'): string {
      cpSync(join(SYSTEMS, 'kaizen/fixtures', fixture), join(folder, name), { recursive: true });
      return join(folder, name);
    },
    /** A folder whose agents wait for a person. */
    runStates(name = 'runs'): string {
      cpSync(join(SYSTEMS, 'openai-agents/fixtures/runstates'), join(folder, name), { recursive: true });
      return join(folder, name);
    },
    /** Two projects, each with a task `etl-nightly`. */
    ctxSys(name = 'ctx-sys.db'): string {
      cpSync(join(SYSTEMS, 'ctx-sys/fixtures/demo-app.db'), join(folder, name));
      return join(folder, name);
    },
    /** Whether anything was kept in the user's state folder. */
    hasState: () => existsSync(state),
    /** Runs it in this process, which is ten times quicker; the built command is for what is about a process. */
    run(...args: string[]): Promise<Done> {
      return this.runWith({}, ...args);
    },
    runWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Done> {
      return inProcess(args, { folder, env: { CHECKPOINT_INSPECTOR_STATE: state, ...env } });
    },
    async json(...args: string[]): Promise<unknown> {
      return answerOf(await this.run(...args, '--json'));
    },
    /** Starts the built command and waits for its end. */
    start(...args: string[]): Done {
      return this.startWith({}, ...args);
    },
    startWith(env: Readonly<Record<string, string>>, ...args: string[]): Done {
      const done = spawnSync(process.execPath, [CLI, ...args], {
        cwd: folder,
        env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: state, ...env },
        encoding: 'utf8',
        timeout: 30_000,
      });
      return { code: done.status, out: done.stdout, err: done.stderr };
    },
    startJson(...args: string[]): unknown {
      return answerOf(this.start(...args, '--json'));
    },
  };
}

function answerOf(done: Done): unknown {
  if (done.code !== 0) throw new Error(`exit ${done.code}: ${done.err}`);
  return JSON.parse(done.out);
}

interface Surroundings {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** One run at a time: the working folder, the environment and the streams belong to the whole process. */
async function inProcess(args: readonly string[], { folder, env }: Surroundings): Promise<Done> {
  const before = { folder: process.cwd(), env: process.env, code: process.exitCode };
  const [out, err] = [capture(process.stdout), capture(process.stderr)];
  process.chdir(folder);
  process.env = { ...before.env, ...env };
  process.exitCode = 0;
  try {
    const code = await runCommand(args, '0.0.0');
    return { code: code === 0 ? Number(process.exitCode) : code, out: out.text(), err: err.text() };
  } finally {
    process.chdir(before.folder);
    process.env = before.env;
    process.exitCode = before.code;
    for (const stream of [out, err]) stream.release();
  }
}

/** What is written to a stream, until it is released. */
function capture(stream: NodeJS.WriteStream) {
  const parts: Uint8Array[] = [];
  const write = stream.write;
  stream.write = (chunk: string | Uint8Array) => {
    parts.push(Buffer.from(chunk as string));
    return true;
  };
  return { text: () => Buffer.concat(parts).toString(), release: () => void (stream.write = write) };
}
