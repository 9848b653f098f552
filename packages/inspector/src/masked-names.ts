/** Masked names in what people and agents send: `store/deploy ghp_••••#7f3`, as every answer shows it. */
import {
  formatAddress,
  formatRunAddress,
  InspectorError,
  MASK_DOTS,
  refIn,
  type CheckpointSource,
  type CheckpointRef,
  type Masker,
  type StoreId,
  type Task,
} from '@checkpoint-inspector/core';
import { everyTask } from './stores/task-lists.ts';

export const isMasked = (text: string): boolean => decoded(text).includes(MASK_DOTS);

interface Named {
  readonly store: StoreId;
  readonly task: Task;
  readonly ref?: CheckpointRef;
  /** `latest`, `~2`, or an id without a secret: what follows the task as it was written. */
  readonly rest: string;
}

/**
 * The same name with what is stored in the place of what is masked, as `store/task` or `store/task/id`; a name without
 * masked parts as it is.
 * @throws InspectorError not_found | ambiguous_id, with what tells the candidates apart
 * @example await unmasked('report ghp_••••#7f3/latest', sources, masker)
 */
export async function unmasked(text: string, sources: readonly CheckpointSource[], masker: Masker): Promise<string> {
  if (!isMasked(text)) return text;
  const wanted = decoded(text);
  const found: Named[] = [];
  for (const source of sources)
    for await (const task of everyTask(source)) found.push(...(await namedIn(source, task, text, masker)));
  // An id of a checkpoint alone may be in any task.
  const whole = found.length > 0 ? found : await inAnyTask(sources, wanted, masker);
  const [only] = whole;
  if (only === undefined)
    throw new InspectorError('not_found', `Nothing in the open stores is called "${masker.text(text)}".`);
  if (whole.length > 1) throw several(text, whole, masker);
  const { store, task, ref, rest } = only;
  const address = ref ? formatAddress({ store, ...ref }) : formatRunAddress({ store, task: task.id });
  return address + rest;
}

async function namedIn(source: CheckpointSource, task: Task, text: string, masker: Masker): Promise<Named[]> {
  const wanted = decoded(text);
  const store = source.info.id;
  for (const name of new Set([task.id, task.title])) {
    const shown = decoded(masker.text(name));
    const forms = [...new Set([shown, decoded(name)])].flatMap((one) => [`${store}/${one}`, one]);
    const start = forms.find((one) => wanted === one || wanted.startsWith(`${one}/`));
    if (start === undefined) continue;
    const rest = wanted.slice(start.length);
    if (!rest.includes(MASK_DOTS)) return [{ store, task, rest: asWritten(rest, text) }];
    return checkpointsIn(source, task, rest.slice(1), masker);
  }
  return [];
}

/** The end of a text that says this, encoded as it is there. */
function asWritten(end: string, text: string): string {
  const ends = Array.from(text.matchAll(/\//g), ({ index }) => text.slice(index));
  return ends.find((one) => decoded(one) === end) ?? end;
}

async function checkpointsIn(source: CheckpointSource, task: Task, wanted: string, masker: Masker): Promise<Named[]> {
  const [, name = wanted, steps = ''] = /^(.*?)(~\d*)?$/s.exec(wanted) ?? [];
  const found: Named[] = [];
  for await (const row of source.lineage(task.id)) {
    const id = masker.text(row.id);
    const names = row.namespace ? [id, `${masker.text(row.namespace)}/${id}`] : [id];
    if (names.some((one) => decoded(one) === name))
      found.push({ store: source.info.id, task, ref: refIn(task.id, row), rest: steps });
  }
  return found;
}

async function inAnyTask(
  sources: readonly CheckpointSource[],
  wanted: string,
  masker: Masker,
): Promise<readonly Named[]> {
  const found: Named[] = [];
  for (const source of sources)
    for await (const task of everyTask(source)) found.push(...(await checkpointsIn(source, task, wanted, masker)));
  return found;
}

/** Their names look the same: store, number of checkpoints and time tell them apart. */
function several(text: string, found: readonly Named[], masker: Masker): InspectorError {
  const candidates = found.map(({ store, task, ref }) => {
    const name = ref ? formatAddress({ store, ...ref }) : formatRunAddress({ store, task: task.id });
    const facts = [`${task.checkpointCount} checkpoints`, ...(task.updatedAt === undefined ? [] : [task.updatedAt])];
    return `${masker.text(decoded(name))} (${facts.join(', ')})`;
  });
  return new InspectorError('ambiguous_id', `"${masker.text(text)}" matches ${found.length} names.`, {
    data: { candidates },
    remedy: 'Name the store too, or use the name as stored.',
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
