/**
 * What command, report and page say of an explanation, as plain sentences. Stored text is in them as stored: whoever
 * shows one masks it, or passes `shown`.
 */
import { stepWords } from '../change/view.ts';
import { NO_LAST_GOOD } from '../failures/group.ts';
import type { Against, CheckAnswer, EndValue, Explanation, Named, Origin, StepRef, Write } from './types.ts';

export const NO_MESSAGE = 'No message was stored.';

type Numbered = Pick<StepRef, 'seq' | 'stepIndex'>;

/** Masks a value at a path, and cuts it. */
type ShownValue = (json: string, path: string) => string;

/** @example stepNumberOf({ seq: 9, stepIndex: 7 }) // '#07' */
const stepNumberOf = ({ seq, stepIndex = seq }: Numbered): string => stepWords({ seq, stepIndex });

/** A step without a name is called by its id. @example stepRefWords({ task: 't', id: 'c7', seq: 7 }) // '#07 c7' */
export const stepRefWords = (step: StepRef): string => stepWords({ ...step, description: step.description ?? step.id });

/** What became of the task, after its name. @example outcomeWords({ outcome: 'failed' }) // 'failed' */
export function outcomeWords({ outcome }: Pick<Explanation, 'outcome'>): string {
  return {
    failed: 'failed',
    check_failed: 'ended, and a check failed',
    waiting: 'is waiting for a person',
    running: 'is running',
    completed: 'completed',
    unknown: 'has an unknown outcome',
  }[outcome];
}

/** What kind of failure it is and what follows from it; absent where there is none. */
export function kindWords(
  explanation: Pick<Explanation, 'kind' | 'error' | 'failingStep' | 'lastGood' | 'repeated'>,
  shown: ShownValue = (json) => json,
): string | undefined {
  const { kind, error, failingStep, lastGood, repeated } = explanation;
  switch (kind) {
    case 'outside':
      return `The error is the answer: ${againWords(lastGood)}`;
    case 'threw': {
      // That a step failed is said with its name.
      if (failingStep?.before !== true) return undefined;
      const node = error?.node ?? failingStep.node;
      return `The ${node === undefined ? 'next step' : `step ${node}`} threw and saved nothing.`;
    }
    case 'gave_up':
      return repeated === undefined
        ? 'It gave up at a limit.'
        : `It gave up at a limit: it called ${repeated.call}(${shown(repeated.args, '$')}) ${repeated.times} times in a row.`;
    case 'check_failed':
      return error?.path === undefined
        ? 'The run ended, and a check in its state failed.'
        : `The run ended, and the check at ${pathWords(error.path)} failed.`;
    case 'waiting':
      return 'It is waiting for a person.';
    default:
      return undefined;
  }
}

/** Where it failed: a step that saved nothing ran after the checkpoint that is named. @example 'at #07 fetch, in node fetch' */
export function failedWhereWords({ error, failingStep }: Pick<Explanation, 'error' | 'failingStep'>): string {
  if (failingStep === undefined) return '';
  const node = error?.node ?? failingStep.node;
  const where = `${failingStep.before === true ? 'after' : 'at'} ${stepRefWords(failingStep)}`;
  return node === undefined ? where : `${where}, in node ${node}`;
}

function againWords(good: Explanation['lastGood']): string {
  if (good === undefined) return 'run it again.';
  return good.back === 0 ? `run again from ${stepNumberOf(good)}.` : `go back to ${stepNumberOf(good)} and run again.`;
}

/** @example lastGoodWords({ lastGood }) // 'Last good: #06 fetch, 3 steps back.' */
export function lastGoodWords({ lastGood }: Pick<Explanation, 'lastGood'>): string {
  if (lastGood === undefined) return `${NO_LAST_GOOD}.`;
  const { back } = lastGood;
  const far = back === 0 ? 'where the failed step began' : `${back} ${back === 1 ? 'step' : 'steps'} back`;
  return `Last good: ${stepRefWords(lastGood)}, ${far}.`;
}

/** After a change. @example originWords({ from: 'tool', name: 'search_prices', ref }) // 'from search_prices, #06' */
export function originWords({ from, name, ref }: Origin): string {
  if (from === 'nowhere') return 'appears nowhere before';
  const source = {
    tool: name === undefined ? "from a tool's answer" : `from ${name}`,
    user: 'from the user',
    agent: "first in the agent's own words",
    state: 'from an earlier state',
  }[from];
  return ref === undefined ? source : `${source}, ${stepNumberOf(ref)}`;
}

/** Whether a value is as it should be, and where it first was not. */
export function checkWords(check: CheckAnswer, shown: ShownValue = (json) => json): string {
  const { path, expected, holds, firstBroken, never, found } = check;
  const should = shown(expected, path);
  const name = pathWords(path);
  if (holds) return `${name} is ${should}, as it should be.`;
  const now = found === undefined ? 'It has no value at the end.' : `At the end it is ${shown(found, path)}.`;
  if (never === true)
    return `${name} should be ${should}, but it was never written in this run.${found === undefined ? '' : ` ${now}`}`;
  const where = firstBroken === undefined ? '.' : `: first broken at ${stepRefWords(firstBroken)}.`;
  return `${name} should be ${should}${where} ${now}`;
}

/** What the error names, and who wrote it last. @example namedWords(named) // 'items[0].price: last written in #25' */
export function namedWords({ text, path, ref }: Named): string {
  const name = path === undefined || pathWords(path) === text ? text : `${text} (${pathWords(path)})`;
  return `${name}: ${ref === undefined ? 'never written in this run' : `last written in ${stepRefWords(ref)}`}`;
}

/** Which run it is compared with, and why that one. */
export function againstWords({ task, end, chosen }: Against): string {
  const why = {
    fork: 'a branch of this task that did not fail',
    name: 'the last good run of the same name',
    asked: undefined,
  }[chosen];
  return `Against ${task}, which ended at ${stepRefWords(end)}${why === undefined ? '' : `: ${why}`}`;
}

/** A value at the end of a run and its writer. @example endWords(here, '$.fee') // '12, written in #07' */
export function endWords({ value, ref }: EndValue, path: string, shown: ShownValue = (json) => json): string {
  const text = value === undefined ? 'no value' : shown(value, path);
  return ref === undefined ? text : `${text}, ${value === undefined ? 'removed' : 'written'} in ${stepNumberOf(ref)}`;
}

/** A call that the other run made and this one never did. */
export function missingWords(
  { call, args, ref }: Against['missing'][number],
  shown: ShownValue = (json) => json,
): string {
  const what = `${call}(${args === undefined ? '' : shown(args, '$')})`;
  return `The other run called ${what}${ref === undefined ? '' : ` in ${stepNumberOf(ref)}`}; this run never did.`;
}

/** Other data that the step changed. @example moreWords({ more: 2 }) // '+2 more' */
export const moreWords = ({ more = 0 }: Pick<Write, 'more'>): string => (more > 0 ? `+${more} more` : '');

/** What was not looked at, a line each; empty where everything was. */
export function examinedWords({ examined }: Pick<Explanation, 'examined'>): readonly string[] {
  const { n, of, gaps, partial } = examined;
  const [first, ...others] = gaps;
  return [
    ...(partial === true ? [`${n} of ${of} checkpoints examined so far.`] : []),
    ...(first === undefined ? [] : [`${stepNumberOf(first)} can't be read, so it was not examined: ${first.reason}`]),
    ...(others.length === 0 ? [] : [`${others.length} more can't be read.`]),
  ];
}

/** Without the `$` of the whole state. @example pathWords('$.a.b') // 'a.b' */
export const pathWords = (path: string): string => path.replace(/^\$\.?(?=.)/, '');
