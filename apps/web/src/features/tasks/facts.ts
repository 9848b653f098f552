/** The second line of a task: the fact that matters, then who and which step. */
import type { Task } from '@checkpoint-inspector/core';
import type { InboxItem, Outline } from '../../lib/api.ts';
import { formatAgo, formatCount } from '../../lib/format.ts';
import { questionOf } from '../inbox/question.ts';

export interface TaskFact {
  readonly text: string;
  /** Said more quietly behind it. */
  readonly about?: string | undefined;
}

/** Error, else question, else the step and its top change; '' while the step is not yet known. */
export function taskFact(
  task: Task,
  outline: Outline | undefined,
  waiting: InboxItem | undefined,
  now: number,
): TaskFact {
  const error = errorOf(task, outline);
  if (error !== undefined) return { text: error, about: joined(stepNameOf(error, outline), placeOf(outline)) };
  const question = waiting && askedBy(waiting, now);
  if (question !== undefined) return question;
  if (task.status === 'failed') {
    const where = outline?.name === undefined ? 'Failed' : `Failed in ${outline.name}`;
    return { text: `${where}, no message stored`, about: placeOf(outline) };
  }
  if (outline === undefined) return { text: '' };
  const lanes = outline.lanes > 1 ? `${formatCount(outline.lanes)} lanes` : undefined;
  const step = stepWords(outline.name, outline.change);
  if (step === '')
    return { text: task.kind === 'unassigned' ? 'Files that name no task' : 'No description is stored', about: lanes };
  return { text: step, about: joined(placeOf(outline), lanes) };
}

/** A name may be a sentence: its own end is enough of one. @example stepWords('Done.', 'n 1 → 2') // 'Done: n 1 → 2' */
function stepWords(name: string | undefined, change: string | undefined): string {
  if (name === undefined || change === undefined) return name ?? change ?? '';
  const head = name.trimEnd().replace(/(?<!\.)[.:;,]$/, '');
  return /[?!….]$/.test(head) ? `${head} ${change}` : `${head}: ${change}`;
}

function askedBy({ requests: [request], since }: InboxItem, now: number): TaskFact | undefined {
  if (request === undefined) return undefined;
  const question = request.unread ? undefined : questionOf(request.text);
  if (question === undefined) return { text: 'Waits for an answer' };
  const by = request.from === undefined ? 'asked' : `asked by ${request.from}`;
  return { text: `“${question}”`, about: since === undefined ? by : `${by}, ${formatAgo(since, now)}` };
}

/** In the words of the error list and of the answer; until these are known, as the list of tasks has it. */
export const errorOf = (task: Task, outline: Outline | undefined): string | undefined =>
  outline?.error ?? task.lastError;

/** What failed: a description often repeats the message behind a colon. */
function stepNameOf(error: string, outline: Outline | undefined): string | undefined {
  const name = outline?.name;
  if (name === undefined || error.includes(name) || name.includes(error)) return undefined;
  const colon = name.indexOf(': ');
  return colon > 0 && error.includes(name.slice(colon + 2)) ? name.slice(0, colon) : name;
}

function placeOf(outline: Outline | undefined): string | undefined {
  if (outline?.step === undefined) return undefined;
  const step = formatCount(outline.step);
  return outline.totalSteps === undefined || outline.totalSteps < outline.step
    ? `step ${step}`
    : `step ${step} of ${formatCount(outline.totalSteps)}`;
}

const joined = (...parts: readonly (string | undefined)[]): string | undefined => {
  const said = parts.filter((part) => part !== undefined && part !== '');
  return said.length === 0 ? undefined : said.join(', ');
};
