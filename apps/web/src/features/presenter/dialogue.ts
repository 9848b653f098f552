/** An answer to "why did it fail?" in a few sentences, made from the facts of an explanation and nothing else. */
import { parseAddress } from '@checkpoint-inspector/core';
import type { WorkbenchSearch } from '../../lib/search.ts';
import * as z from 'zod/mini';
import { stepNumber } from '../../lib/format.ts';
import { parseOrUndefined } from '../../lib/read.ts';

const stepSchema = z.looseObject({ checkpoint: z.string(), step: z.number(), description: z.optional(z.string()) });

const changeSchema = { before: z.optional(z.string()), after: z.optional(z.string()) };

const explanationSchema = z.looseObject({
  outcome: z.string(),
  error: z.optional(z.looseObject({ message: z.string() })),
  failed: z.optional(stepSchema),
  lastGood: z.optional(stepSchema),
  writes: z.optional(z.array(z.looseObject({ ...stepSchema.shape, path: z.string(), ...changeSchema }))),
  unusual: z.optional(z.array(z.looseObject({ ...stepSchema.shape, path: z.string(), ...changeSchema }))),
  named: z.optional(
    z.array(
      z.looseObject({
        text: z.string(),
        path: z.optional(z.string()),
        writtenBy: z.optional(stepSchema),
        ...changeSchema,
      }),
    ),
  ),
});

const listSchema = z.object({
  items: z.array(
    z.looseObject({
      id: z.string(),
      status: z.optional(z.string()),
      parentId: z.optional(z.string()),
      isLatest: z.optional(z.boolean()),
      seq: z.optional(z.number()),
      stepIndex: z.optional(z.number()),
    }),
  ),
});

/** The newest failed checkpoint of a list, the latest first. */
export function newestFailed(text: string): string | undefined {
  const parsed = listSchema.safeParse(parseOrUndefined(text));
  return parsed.success ? parsed.data.items.find(({ status }) => status === 'failed')?.id : undefined;
}

type Item = z.infer<typeof listSchema>['items'][number];

/** The answer to "is it fixed now?", from the list alone: what the task resumes from, and whether a fork did better. */
export function fixedOf(text: string): readonly (readonly Part[])[] {
  const parsed = listSchema.safeParse(parseOrUndefined(text));
  if (!parsed.success) return [['The answer is not the one that was expected.']];
  const { items } = parsed.data;
  const latest = items.find(({ isLatest }) => isLatest === true);
  if (latest === undefined) return [['No checkpoint is the latest.']];
  const link = (item: Item): Part => ({ text: stepNumber({ ...item, seq: item.seq ?? 0 }), search: { cp: item.id } });
  if (latest.status === 'completed')
    return [['Yes: ', link(latest), ' completed and is the latest, so the task resumes from there.']];
  const still: Part[] = [
    'No: the latest is still ',
    link(latest),
    latest.status === 'failed' ? ', which failed.' : '.',
  ];
  const above = ancestorsOf(items, latest);
  const better = items.find((item) => item.status === 'completed' && !above.has(item.id));
  if (better === undefined) return [still];
  return [still, ['A fork completed at ', link(better), '; restore it to resume from there.']];
}

function ancestorsOf(items: readonly Item[], from: Item): ReadonlySet<string> {
  const byId = new Map(items.map((item) => [item.id, item]));
  const found = new Set<string>();
  for (let at: Item | undefined = from; at !== undefined && !found.has(at.id); at = byId.get(at.parentId ?? ''))
    found.add(at.id);
  return found;
}

const CHARACTERS_A_TOKEN = 4;

/** A rule of thumb: tokenizers differ. */
export const tokensOf = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(text.length / CHARACTERS_A_TOKEN), 0);

const maskedSchema = z.object({ masked: z.number() });

/** How many secrets the answers say they mask. */
export const maskedIn = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => {
    const parsed = maskedSchema.safeParse(parseOrUndefined(text));
    return sum + (parsed.success ? parsed.data.masked : 0);
  }, 0);

/** Plain text, or the name of a step or value with where it is. */
export type Part = string | { readonly text: string; readonly search: Pick<WorkbenchSearch, 'cp' | 'path' | 'view'> };

type Step = z.infer<typeof stepSchema>;

const linkTo = ({ checkpoint, step }: Step): Part => ({
  text: stepNumber({ seq: step }),
  search: { cp: idIn(checkpoint) },
});

const idIn = (address: string): string => parseAddress(address).id;

const TOLD_WRITES = 3;

/** What the answer of the tool says, sentence by sentence. */
export function sentencesOf(text: string): readonly (readonly Part[])[] {
  const parsed = explanationSchema.safeParse(parseOrUndefined(text));
  if (!parsed.success) return [['The answer was not what was expected.']];
  const { error, failed, lastGood, writes = [], named = [], unusual = [] } = parsed.data;
  if (error === undefined || failed === undefined) return [['None of its checkpoints failed.']];
  return [
    ['It failed at ', linkTo(failed), `: ${error.message}.`],
    ...named.slice(0, 1).map(namedOf),
    writes.length === 0
      ? ['It wrote no data.']
      : ['It wrote, newest first: ', ...joined(writes.slice(0, TOLD_WRITES).map(writeOf)), '.'],
    ...(unusual.length === 0 ? [] : [['Unusual: ', ...joined(unusual.map(writeOf)), '.']]),
    ...(lastGood === undefined
      ? []
      : [['The last good checkpoint is ', linkTo(lastGood), '; restore or fork from there.']]),
  ];
}

const joined = (lists: readonly (readonly Part[])[]): readonly Part[] =>
  lists.flatMap((parts, at) => (at === 0 ? parts : [', ', ...parts]));

type Explained = z.infer<typeof explanationSchema>;
type Write = NonNullable<Explained['writes']>[number];

const writeOf = (write: Write): readonly Part[] => [valueOf(write, write.checkpoint), ' at ', linkTo(write)];

function namedOf({ text, path, writtenBy, before, after }: NonNullable<Explained['named']>[number]): readonly Part[] {
  if (writtenBy === undefined) return [`The error names ${text}, which this run never wrote.`];
  const value = path === undefined ? text : valueOf({ path, before, after }, writtenBy.checkpoint);
  return ['The error names ', value, ', last written at ', linkTo(writtenBy), '.'];
}

interface Change {
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

function valueOf({ path, before, after }: Change, checkpoint: string): Part {
  const change = [before, after].filter((side) => side !== undefined).join(' → ');
  const name = path.replace(/^\$\.(?=.)/, '');
  return { text: change === '' ? name : `${name} ${change}`, search: { cp: idIn(checkpoint), path, view: 'changes' } };
}
