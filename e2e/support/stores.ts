import { cpSync, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CheckpointMeta, CheckpointRef, NewCheckpoint } from 'checkpoint-inspector/core';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import type { Inspector } from './inspector.ts';

/** A call of the API as scripts make it. */
export async function api(inspector: Inspector, path: string): Promise<unknown> {
  const answer = await fetch(`${inspector.origin}/api/${path}`, {
    headers: { authorization: `Bearer ${inspector.token}` },
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Listens to the stream of events from the moment it answers; `told` ends with the first event of this name. */
export async function nextEvent(inspector: Inspector, name: string): Promise<{ readonly told: Promise<void> }> {
  const headers = { authorization: `Bearer ${inspector.token}` };
  const { body } = await fetch(`${inspector.origin}/api/events`, { headers });
  return { told: untilEvent(body, name) };
}

async function untilEvent(body: ReadableStream<Uint8Array> | null, name: string): Promise<void> {
  for await (const chunk of body ?? []) {
    if (Buffer.from(chunk).toString().includes(`event: ${name}\n`)) return;
  }
  throw new Error(`The stream ended without "${name}".`);
}

/** Where an open store lies on the disk. */
export async function placeOf(inspector: Inspector, store: string): Promise<string> {
  const { items } = (await api(inspector, 'stores')) as { items: { id: string; location?: string }[] };
  const place = items.find((info) => info.id === store)?.location;
  if (place === undefined) throw new Error(`${store} has no place on the disk.`);
  return place;
}

/** A copy of a store that a test may change; a database comes with the files beside it. */
export function copyStore(place: string, folder: string): string {
  const copy = join(folder, basename(place));
  for (const side of ['', '-wal', '-shm'])
    if (existsSync(place + side)) cpSync(place + side, copy + side, { recursive: true });
  return copy;
}

/** From now on the store keeps so many checkpoints per task: one that holds as many is full. */
export async function keepNewest(path: string, maxPerTask: number): Promise<void> {
  await (await openSqliteStore({ path, maxPerTask })).close();
}

export type StoredRow = CheckpointMeta & { readonly text: string | undefined };

/** Every row of a task as another program reads it: all that is stored about it, and its text. */
export async function dumpTask(path: string, task: string): Promise<StoredRow[]> {
  const store = await openSqliteStore({ path, readOnly: true });
  try {
    const { items } = await store.checkpoints(task, { limit: 1000 });
    return await Promise.all(
      items.map(async (meta) => ({ ...meta, text: (await store.state({ task, id: meta.id }))?.text })),
    );
  } finally {
    await store.close();
  }
}

/** What another program gets when it resumes the task. */
export async function latestText(path: string, task: string): Promise<string | undefined> {
  const store = await openSqliteStore({ path, readOnly: true });
  try {
    const { ref } = await store.latest(task);
    return ref && (await store.state(ref))?.text;
  } finally {
    await store.close();
  }
}

/** A save that the agent makes while a page is open. */
export async function saveAsAgent(path: string, checkpoint: NewCheckpoint): Promise<void> {
  const store = await openSqliteStore({ path });
  try {
    await store.save(checkpoint);
  } finally {
    await store.close();
  }
}

/** A removal by another program while a page is open. */
export async function removeAsAgent(path: string, ref: CheckpointRef): Promise<void> {
  const store = await openSqliteStore({ path });
  try {
    await store.remove(ref);
  } finally {
    await store.close();
  }
}
