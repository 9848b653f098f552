/** A session as Codex writes it, of any size. */
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

const THREAD = '01a20000-0000-7000-8000-000000000001';
const CALLS = 30;

const line = (type: string, payload: object): string =>
  `${JSON.stringify({ timestamp: '2026-11-22T02:34:41.228Z', ordinal: 1, type, payload })}\n`;

/** A turn: thirty calls with their answers, and what Codex counts and shows beside them. */
export function turnOf(turn: number): string {
  const id = `01a20000-0000-7000-9000-${String(turn).padStart(12, '0')}`;
  const output = 'a line of what a command has printed, as there are many of them\\n'.repeat(100);
  const calls = Array.from({ length: CALLS }, (_, n) => {
    const call_id = `call_${turn}_${n}`;
    return [
      line('response_item', { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"make"}', call_id }),
      line('token_usage_record', { thread_id: THREAD, turn_id: id, usage: { input_tokens: 1, pad: 'x'.repeat(500) } }),
      line('event_msg', {
        type: 'item_completed',
        turn_id: id,
        item: { type: 'CommandExecution', aggregated_output: output },
      }),
      line('response_item', { type: 'function_call_output', call_id, output }),
      line('event_msg', { type: 'token_count', info: { total_token_usage: { total_tokens: turn * CALLS + n } } }),
    ].join('');
  });
  return [
    line('event_msg', { type: 'task_started', turn_id: id }),
    line('turn_context', { turn_id: id, cwd: '/project', model: 'a-model' }),
    line('response_item', {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: `question ${turn}` }],
    }),
    ...calls,
    line('event_msg', { type: 'task_complete', turn_id: id, duration_ms: 5 }),
  ].join('');
}

export interface Rollout {
  readonly thread: string;
  readonly path: string;
  /** In bytes, at least what was asked for. */
  readonly size: number;
}

/** Below a folder that becomes a home of Codex. */
export async function writeRollout(root: string, bytes: number): Promise<Rollout> {
  const folder = join(root, 'sessions/2026/11/22');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `rollout-2026-11-22T02-34-41-${THREAD}.jsonl`);
  const file = await open(path, 'w');
  const first = line('session_meta', { id: THREAD });
  await file.write(first);
  let size = Buffer.byteLength(first);
  for (let turn = 0; size < bytes; turn++) {
    const text = turnOf(turn);
    await file.write(text);
    size += Buffer.byteLength(text);
  }
  await file.close();
  return { thread: THREAD, path, size };
}
