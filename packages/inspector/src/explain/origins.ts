/** Where the value of a write stood before, and in which step that came. */
import { messagesOf, originIn, type CheckpointSource, type Origin, type Write } from '@checkpoint-inspector/core';
import { stepRef, type Listed } from './branch.ts';
import { readText } from './facts.ts';

/** @returns undefined for a value that says too little to be found again: a flag, a digit */
export async function originOf(
  source: CheckpointSource,
  steps: readonly Listed[],
  { ref, after, afterLength }: Write,
): Promise<Origin | undefined> {
  const at = steps.findIndex(({ row }) => row.seq === ref.seq && row.id === ref.id);
  const step = steps[at];
  const read = step && after !== undefined && afterLength === undefined ? await readText(source, step) : undefined;
  if (read === undefined || !('text' in read)) return undefined;
  const found = originIn(messagesOf(read.text), after);
  if (found?.said === undefined) return found?.origin;
  const first = await firstWith(source, steps, at, found.said.json);
  return { ...found.origin, ...(first === undefined ? {} : { ref: stepRef(first) }) };
}

/** The first step up to `end` whose state has this text: once there, messages stay. */
export async function firstWith(
  source: CheckpointSource,
  steps: readonly Listed[],
  end: number,
  json: string,
): Promise<Listed | undefined> {
  let [none, has] = [-1, end];
  while (has - none > 1) {
    const middle = Math.floor((none + has) / 2);
    const step = steps[middle];
    const read = step && (await readText(source, step));
    if (read && 'text' in read && read.text.includes(json)) has = middle;
    else none = middle;
  }
  return steps[has];
}
