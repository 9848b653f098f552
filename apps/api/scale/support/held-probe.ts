/** Loaded into the command before it starts: tells how long its main thread was held by one thing, in processor time. */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** What this thread has used, in milliseconds. A machine that is busy with something else adds nothing to it. */
const used = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;

if (isMainThread) {
  let last = used();
  let most = 0;
  const look = (): void => {
    const now = used();
    most = Math.max(most, now - last);
    last = now;
  };
  // Nothing else has its turn before this timer has, so what was done in between held up everything.
  setInterval(look, 1).unref();
  process.on('message', () => {
    look();
    process.send?.(most);
    most = 0;
  });
  process.channel?.unref();
}
