import { InspectorError, formatAddress, parseAddress } from '@checkpoint-inspector/core';
import type { CheckpointRef, CheckpointSource } from '@checkpoint-inspector/core';
import type { Session } from './session.ts';

export interface Narrow {
  readonly task?: string | undefined;
  readonly ns?: string | undefined;
}

export interface Found {
  readonly source: CheckpointSource;
  readonly ref: CheckpointRef;
}

/**
 * The one checkpoint that `text` means: an address `store/task/id`, or an id
 * that is unique in the open stores (after `--task` and `--ns`).
 * @throws InspectorError not_found | ambiguous_id
 */
export async function resolveCheckpoint(session: Session, text: string, narrow: Narrow): Promise<Found> {
  const byId = await findById(session, text, narrow);
  if (byId.length === 1 && byId[0]) return byId[0];
  if (byId.length > 1) {
    throw new InspectorError('ambiguous_id', `"${text}" is the id of ${byId.length} checkpoints.`, {
      data: { candidates: byId.map(({ source, ref }) => formatAddress({ store: source.info.id, ...ref })) },
      remedy: 'Name one of these addresses, or narrow with --task and --ns.',
    });
  }
  const address = addressIn(session, text);
  if (address) return address;
  throw new InspectorError('not_found', `No checkpoint "${text}" in ${session.sources().length} open stores.`, {
    data: { id: text },
  });
}

async function findById(session: Session, id: string, narrow: Narrow): Promise<Found[]> {
  const found = await Promise.all(
    session.sources().map(async (source) => (await source.find(id)).map((ref) => ({ source, ref }))),
  );
  return found
    .flat()
    .filter(({ ref }) => narrow.task === undefined || ref.task === narrow.task)
    .filter(({ ref }) => narrow.ns === undefined || (ref.namespace ?? '') === narrow.ns);
}

function addressIn(session: Session, text: string): Found | undefined {
  if (!text.includes('/')) return undefined;
  const { store, ...ref } = parseAddress(text);
  const source = session.sources().find(({ info }) => info.id === store);
  return source && { source, ref };
}

/** A task may be listed though no checkpoint of it is left. */
async function holdsTask(source: CheckpointSource, task: string): Promise<boolean> {
  const page = await source.checkpoints(task, { limit: 1 });
  if (page.items.length > 0) return true;
  const { items } = await source.tasks({ text: task, limit: 1000 });
  return items.some(({ id, checkpointCount }) => id === task && checkpointCount === 0);
}

/** The open stores that know this task. @throws InspectorError not_found | ambiguous_id */
export async function resolveTask(session: Session, task: string): Promise<CheckpointSource> {
  const holders: CheckpointSource[] = [];
  for (const source of session.sources()) {
    if (await holdsTask(source, task)) holders.push(source);
  }
  if (holders.length === 1 && holders[0]) return holders[0];
  if (holders.length === 0)
    throw new InspectorError('not_found', `No task "${task}" in the open stores.`, { data: { task } });
  throw new InspectorError('ambiguous_id', `Task "${task}" is in ${holders.length} stores.`, {
    data: { candidates: holders.map(({ info }) => info.id) },
    remedy: 'Open one store only, with --store.',
  });
}
