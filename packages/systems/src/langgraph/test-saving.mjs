/** For tests, an agent in a process of its own: LangGraph's saver saves into a thread until its input ends. */
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { setTimeout as sleep } from 'node:timers/promises';

const [path = '', thread = '', everyMs = '100'] = process.argv.slice(2);
const saver = SqliteSaver.fromConnString(path);
const told = { saved: 0, failed: 0, longestMs: 0 };
let config = { configurable: { thread_id: thread } };
const ending = new AbortController();
process.stdin.on('end', () => ending.abort()).resume();

for (let n = 0; !ending.signal.aborted; n++) {
  const began = performance.now();
  try {
    const checkpoint = { ...emptyCheckpoint(), id: uuid6(n), channel_values: { n } };
    config = await saver.put(config, checkpoint, { source: 'loop', step: n, parents: {} });
    await saver.putWrites(config, [['n', n]], `task-${n}`);
    told.saved++;
  } catch {
    told.failed++;
  }
  told.longestMs = Math.max(told.longestMs, performance.now() - began);
  if (n === 0) process.stdout.write('saving\n');
  await sleep(Number(everyMs));
}
process.stdout.write(`${JSON.stringify(told)}\n`);
