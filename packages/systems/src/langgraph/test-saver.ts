import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const AGENT = fileURLToPath(new URL('test-saving.mjs', import.meta.url));

export interface Saved {
  readonly saved: number;
  readonly failed: number;
  /** The longest that one save took, its wait for the store included. */
  readonly longestMs: number;
}

/** What LangGraph's own saver met, in a process of its own, while the work was done. */
export async function savingBeside(path: string, everyMs: number, work: () => unknown): Promise<Saved> {
  const agent = spawn(process.execPath, [AGENT, path, 'beside', String(everyMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  agent.stdout.on('data', (data: Buffer) => (out += data.toString()));
  const ended = once(agent, 'close');
  await once(agent.stdout, 'data');
  try {
    await work();
  } finally {
    agent.stdin.end();
    await ended;
  }
  return JSON.parse(out.trim().split('\n').at(-1) ?? '') as Saved;
}
