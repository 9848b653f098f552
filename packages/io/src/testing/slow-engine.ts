import { InspectorError, type Job } from '@checkpoint-inspector/core';
import { nothingDone, type Executor, type Image } from '../engines/executor.ts';
import { has, imagesOf, isOne, isText, listOf, marksOf, optional, stepsOf } from '../engines/shape.ts';

/** One value at a name; absent values are removed, or must be absent. */
interface SlowStep {
  readonly name: string;
  readonly expect?: string | undefined;
  readonly value?: string | undefined;
}

interface SlowMark {
  readonly kind: 'slow';
  readonly name: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

const isSteps = has<{ readonly set: SlowStep[] }>({
  set: listOf(has<SlowStep>({ name: isText, expect: optional(isText), value: optional(isText) })),
});
const isMark = has<SlowMark>({ kind: isOne('slow'), name: isText, before: optional(isText), after: optional(isText) });

/** Stands in for a remote store: values by name, for each place. */
export const slowPlaces = new Map<string, Map<string, string>>();

/** A step by its index; `look` before anything is decided, `end` after all of them. */
export type SlowStepName = number | 'look' | 'end';

export interface SlowOptions {
  /** Waited for before each step; default 5 ms. */
  readonly pause?: (at: SlowStepName) => Promise<void>;
  /** The step before which the connection breaks. */
  readonly failAt?: () => SlowStepName | undefined;
}

const fiveMs = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

/** An engine far away, for tests: each step takes a while, and it fails when it is told to. */
export function slowEngine({ pause = fiveMs, failAt = () => undefined }: SlowOptions = {}): Executor {
  const reach = async (at: SlowStepName): Promise<void> => {
    await pause(at);
    if (failAt() === at) throw new InspectorError('busy', 'The connection broke.');
  };
  return {
    engine: 'slow',
    async apply(job, hooks) {
      const values = valuesAt(job.place);
      const { set } = stepsOf('slow', isSteps, job.steps);
      await reach('look');
      for (const { name, expect } of set) {
        if (values.get(name) === expect) continue;
        throw new InspectorError('changed', `"${name}" differs from the one in the preview.`);
      }
      const images = set.map(({ name, value }) => imageOf(name, values.get(name), value));
      await hooks.prepared(images);
      hooks.onStep?.('intent');
      for (const [index, { name, expect, value }] of set.entries()) {
        await reach(index);
        if (values.get(name) !== expect) {
          for (const done of set.slice(0, index)) put(values, done.name, done.expect);
          throw new InspectorError('changed', `"${name}" differs from the one in the preview.`);
        }
        put(values, name, value);
        hooks.onStep?.(`set:${index}`);
      }
      await reach('end');
      return { images, skipped: [], failed: [], done: set.map(({ name }) => `set ${name}`) };
    },
    async compare(place, marks) {
      await reach('look');
      const values = valuesAt(place);
      return marksOf(isMark, marks).map(({ name, before, after }) => {
        const now = values.get(name);
        const is = now === after ? (now === before ? 'both' : 'after') : now === before ? 'before' : 'neither';
        return { is, what: name };
      });
    },
    async settle(place, images) {
      await reach('look');
      const values = valuesAt(place);
      const marks = imagesOf(isMark, images).map(({ mark }) => mark);
      if (marks.every(({ name, after }) => values.get(name) === after)) {
        return { outcome: 'completed', skipped: [], failed: [], done: marks.map(({ name }) => `set ${name}`) };
      }
      for (const { name, before, after } of marks) if (values.get(name) === after) put(values, name, before);
      return nothingDone(images);
    },
    async undo(place, images): Promise<Job> {
      const set = imagesOf(isMark, images).map(({ mark: { name, before, after } }) => stepOf(name, after, before));
      return { engine: 'slow', place, steps: { set } };
    },
  };
}

/** @example slowJob('far-away', { name: 'a', value: '1' }, { name: 'b', expect: '2' }) */
export function slowJob(place: string, ...set: readonly SlowStep[]): Job {
  return { engine: 'slow', place, steps: { set: [...set] } };
}

function valuesAt(place: string): Map<string, string> {
  const values = slowPlaces.get(place);
  if (values) return values;
  throw new InspectorError('no_store', `There is nothing at ${place}.`);
}

function put(values: Map<string, string>, name: string, value: string | undefined): void {
  if (value === undefined) values.delete(name);
  else values.set(name, value);
}

function stepOf(name: string, expect: string | undefined, value: string | undefined): SlowStep {
  return { name, ...(expect === undefined ? {} : { expect }), ...(value === undefined ? {} : { value }) };
}

function imageOf(name: string, before: string | undefined, after: string | undefined): Image {
  const mark: SlowMark = {
    kind: 'slow',
    name,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
  return { mark };
}
