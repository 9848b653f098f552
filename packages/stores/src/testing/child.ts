/** A process of its own that saves, converts or copies: node child.mjs '{"place", …}'. Each line says what it has been told is done. */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
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
  | { readonly path: string; readonly step: string }
  /** Replaces a state by one of so many bytes, which the disk may have no place for. */
  | { readonly path: string; readonly bytes: number }
  /** Copies the file as a person would, with SQLite's own backup. */
  | { readonly path: string; readonly copy: string };

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

/** What is kept when a save finds no place, and whether the next one does. */
async function overfill(path: string, bytes: number): Promise<void> {
  const store = await openAt({ path });
  for (const id of ['a', 'b']) await store.save({ task: 't', id, text: `"${id}, first"` });
  const text = JSON.stringify(randomBytes(bytes).toString('base64'));
  await store.save({ task: 't', id: 'a', text }).then(
    () => say('saved'),
    (error: unknown) => say(InspectorError.from(error).code),
  );
  say(`a ${(await store.state({ task: 't', id: 'a' }))?.text}`);
  await store.save({ task: 't', id: 'c', text: '"c, after it"' });
  await store.close();
  const again = await openAt({ path }, { readOnly: true });
  for await (const { id } of again.lineage('t')) say(`${id} ${(await again.state({ task: 't', id }))?.text}`);
  await again.close();
  say(`files ${readdirSync(dirname(path)).toSorted().join(' ')}`);
}

interface Driver {
  new (path: string): { backup(to: string, options: object): Promise<unknown>; close(): void };
}

/** A page at a time, so that saves come in between. */
async function copyFile(path: string, copy: string): Promise<void> {
  const Database = createRequire(import.meta.url)('better-sqlite3') as Driver;
  const database = new Database(path);
  await database.backup(copy, { progress: () => 1 });
  database.close();
}

const [, , given] = process.argv;
if (given?.startsWith('{') === true) {
  const order = JSON.parse(given) as ChildOrder;
  if ('place' in order) await save(order);
  else if ('bytes' in order) await overfill(order.path, order.bytes);
  else if ('copy' in order) await copyFile(order.path, order.copy);
  else
    bringToNodes(openSqlite(order.path, { readOnly: false }), (step) => {
      if (step === order.step) process.kill(process.pid, 'SIGKILL');
    });
}
