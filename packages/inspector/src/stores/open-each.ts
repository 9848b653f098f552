import { InspectorError } from '@checkpoint-inspector/core';
import { within } from './task-lists.ts';

interface Named {
  readonly location: string;
  readonly name?: string;
}

export interface OpenEachOptions {
  readonly open: (location: string, name: string | undefined) => Promise<unknown>;
  readonly isAnyOpen: () => boolean;
  /** How long the next one waits for one that is slow. */
  readonly patienceMs: number;
  /** Told of each that could not be opened, unless that is the end of all. */
  readonly onFailure: (location: string, name: string | undefined, error: unknown) => void;
}

/** As a start opens several stores: in their order, without waiting for a slow one for long. */
export function openEach({ open, isAnyOpen, patienceMs, onFailure }: OpenEachOptions) {
  return async (targets: readonly Named[]): Promise<void> => {
    const errors: unknown[] = [];
    const running: Promise<void>[] = [];
    for (const { location, name } of targets) {
      let isWaitedFor = true;
      let wrong: InspectorError | undefined;
      const work = open(location, name).then(
        () => undefined,
        (error: unknown) => {
          errors.push(error);
          if (isWaitedFor && isWrongTarget(error)) wrong = error;
          else onFailure(location, name, error);
        },
      );
      running.push(work);
      await within(work, patienceMs).catch(() => undefined);
      isWaitedFor = false;
      if (wrong) throw wrong;
    }
    if (isAnyOpen()) return;
    await Promise.all(running);
    if (!isAnyOpen() && errors.length > 0) throw errors[0];
  };
}

/** What the user named is not there, or holds no store: that is told at once. */
const isWrongTarget = (error: unknown): error is InspectorError =>
  InspectorError.is(error) && (error.code === 'no_store' || error.code === 'invalid_input');
