import type { CheckpointRef } from '@checkpoint-inspector/core';
import { keyOf } from '../options.ts';

/** Where these three columns are one of the keys that `together` asks for. */
export const amongKeys = (columns: string): string =>
  `(${columns}) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))`;

/** Tasks, namespaces and ids. */
type Keys = readonly (readonly string[])[];

interface Waiting<Answer> {
  readonly ref: CheckpointRef;
  readonly resolve: (answers: readonly Answer[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * What is asked at the same time is asked in one statement, not in one for each ref.
 * @param refOf what an answer belongs to
 */
export function together<Answer>(
  ask: (keys: Keys) => Promise<readonly Answer[]>,
  refOf: (answer: Answer) => CheckpointRef,
): (ref: CheckpointRef) => Promise<readonly Answer[]> {
  let waiting: Waiting<Answer>[] = [];
  const askAll = async (): Promise<void> => {
    const asked = waiting;
    waiting = [];
    try {
      const keys = asked.map(({ ref }) => keyOf(ref));
      const answers = new Map<string, Answer[]>(keys.map((key) => [JSON.stringify(key), []]));
      for (const answer of await ask([0, 1, 2].map((column) => keys.map((key) => key[column] ?? ''))))
        answers.get(JSON.stringify(keyOf(refOf(answer))))?.push(answer);
      for (const { ref, resolve } of asked) resolve(answers.get(JSON.stringify(keyOf(ref))) ?? []);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };
  return (ref) =>
    new Promise((resolve, reject) => {
      waiting.push({ ref, resolve, reject });
      if (waiting.length === 1) queueMicrotask(() => void askAll());
    });
}
