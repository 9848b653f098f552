/** What a list of tasks needs to know of outcomes without reading a state. */
import type { Task, TaskOutcome } from '../model.ts';

/** What a task is listed as. */
export const outcomeOf = ({ status, outcome }: Pick<Task, 'status' | 'outcome'>): TaskOutcome => outcome ?? status;

/** An escape may spell one of the words. */
const ANY_LIST = /checks|validations|assertions|tests|\\u/i;

/** Most states have none of these words, and need not be read. */
export const mayHaveChecks = (stateText: string): boolean => ANY_LIST.test(stateText);
