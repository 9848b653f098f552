import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kaizenDocument } from '@checkpoint-inspector/apis/kaizen';
import { kaizenId } from '@checkpoint-inspector/systems/scale/many';

/** For tests: the n-th checkpoint of an agent, saved long enough ago that nothing takes it for running; answers its text. */
export async function writeDocument(
  folder: string,
  n: number,
  messages: readonly object[],
  more = {},
): Promise<string> {
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString().replace('Z', '+00:00');
  const fields = { checkpoint_id: kaizenId(n), agent_id: 'agent', timestamp, ...more };
  const text = kaizenDocument({ ...fields, conversation_history: messages });
  const file = join(folder, `${kaizenId(n)}.jsonl`);
  await writeFile(file, `${text}\n`);
  const time = new Date(Date.now() - 3_600_000 + n);
  await utimes(file, time, time);
  return text;
}
