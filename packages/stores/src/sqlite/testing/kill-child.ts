/** A process that saves, or converts, until it is killed: node kill-child.mjs '{"path", "from"}' or '{"path", "step"}'. */
import { openSqlite } from '@checkpoint-inspector/io';
import { bringToNodes } from '../convert.ts';
import { openSqliteStore } from '../store.ts';

export type KillOrder =
  | { readonly path: string; readonly from: number }
  /** Kills itself in this step of the conversion. */
  | { readonly path: string; readonly step: string };

/** The state of the nth save. */
export const killState = (n: number) => ({
  n,
  items: Array.from({ length: (n * 37) % 400 }, (_, at) => ({ at, text: `${at} `.repeat(20) })),
});

async function saveForEver(path: string, from: number): Promise<void> {
  const store = await openSqliteStore({ path });
  for (let n = from; ; n++) {
    await store.save({ task: 't', id: `c${n}`, value: killState(n) });
    process.stdout.write(`s${n}\n`);
    if (n % 3 !== 0) continue;
    await store.remove({ task: 't', id: `c${n - 2}` });
    process.stdout.write(`r${n - 2}\n`);
  }
}

const [, , given] = process.argv;
if (given?.startsWith('{') === true) {
  const order = JSON.parse(given) as KillOrder;
  if ('from' in order) await saveForEver(order.path, order.from);
  else
    bringToNodes(openSqlite(order.path, { readOnly: false }), (step) => {
      if (step === order.step) process.kill(process.pid, 'SIGKILL');
    });
}
