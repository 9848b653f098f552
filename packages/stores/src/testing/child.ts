/** A process of its own that saves, or converts: node child.mjs '{"place", …}'. Each line says what it has been told is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { InspectorError } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { bringToNodes } from '../sqlite/convert.ts';
import { openAt, type StorePlace } from './places.ts';

export interface SaveOrder {
  readonly place: StorePlace;
  readonly task: string;
  readonly from: number;
  /** Without it, it saves until it is killed. */
  readonly until?: number;
  /** Every third save is followed by the removal of an earlier one. */
  readonly removes?: boolean;
  /** What fails is tried again, and its code told. */
  readonly retries?: boolean;
}

export type ChildOrder =
  | SaveOrder
  /** Kills itself in this step of the conversion. */
  | { readonly path: string; readonly step: string };

/** The state of the nth save. */
export const savedState = (n: number) => ({
  n,
  items: Array.from({ length: (n * 37) % 400 }, (_, at) => ({ at, text: `${at} `.repeat(20) })),
});

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

async function save(order: SaveOrder): Promise<void> {
  const { place, task, removes, retries } = order;
  const store = await openAt(place);
  const done = async (work: () => Promise<unknown>): Promise<void> => {
    for (;;) {
      try {
        await work();
        return;
      } catch (error) {
        if (retries !== true) throw error;
        say(`e${InspectorError.is(error) ? error.code : String(error)}`);
        await sleep(50);
      }
    }
  };
  for (let n = order.from; n < (order.until ?? Infinity); n++) {
    await done(() => store.save({ task, id: `c${n}`, value: savedState(n) }));
    say(`s${n}`);
    if (!removes || n % 3 !== 0) continue;
    await done(() => store.remove({ task, id: `c${n - 2}` }));
    say(`r${n - 2}`);
  }
  await store.close();
}

const [, , given] = process.argv;
if (given?.startsWith('{') === true) {
  const order = JSON.parse(given) as ChildOrder;
  if ('place' in order) await save(order);
  else
    bringToNodes(openSqlite(order.path, { readOnly: false }), (step) => {
      if (step === order.step) process.kill(process.pid, 'SIGKILL');
    });
}
