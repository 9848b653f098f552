import type { Job } from '@checkpoint-inspector/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createExecutors, type Applied, type ApplyHooks, type Executor, type Image } from '../engines/executor.ts';

/** One place that the engine can change, made again for each test with the same content. */
export interface ExecutorPlace {
  readonly place: string;
  /** A change of several steps: it adds, changes and removes. */
  readonly job: Job;
  /** The same change, resting on something that is not so. */
  readonly stale: Job;
  /** Everything that a person could see there, byte for byte. */
  content(): string | Promise<string>;
  /** Changes something that the job has written. */
  disturb(): void | Promise<void>;
  /** What the end of the process would leave at this moment: the same content at another place. */
  crash(): ExecutorPlace;
  close(): void | Promise<void>;
}

export interface ExecutorSuite {
  readonly make: () => ExecutorPlace | Promise<ExecutorPlace>;
}

/**
 * What every engine holds to: a job is done as a whole or not at all, whatever cuts it off, and can be undone.
 * @example describeExecutor(filesEngine, { make: () => folderWithFiles() });
 */
export function describeExecutor(plain: Executor, { make }: ExecutorSuite): void {
  const executor = createExecutors([plain]).get(plain.engine);
  const open: ExecutorPlace[] = [];
  const made = async (): Promise<ExecutorPlace> => {
    const place = await make();
    open.push(place);
    return place;
  };
  const apply = (job: Job, hooks: Partial<ApplyHooks> = {}): Promise<Applied> =>
    executor.apply(structuredClone({ engine: job.engine, place: job.place, steps: job.steps }), {
      tag: 'suite',
      prepared: () => undefined,
      ...hooks,
    });
  const sides = async ({ place }: ExecutorPlace, images: readonly Image[]) => {
    const marks = journalled(images).map(({ mark }) => mark);
    return new Set((await executor.compare(place, marks)).map(({ is }) => is));
  };
  const undo = async ({ place }: ExecutorPlace, images: readonly Image[]) =>
    apply(await executor.undo(place, journalled(images)), { tag: 'undo' });
  /** The content before and after, and every step on the way. */
  const reference = async () => {
    const place = await made();
    const before = await place.content();
    const steps: string[] = [];
    await apply(place.job, { onStep: (step) => steps.push(step) });
    return { before, after: await place.content(), steps };
  };
  afterEach(async () => {
    for (const place of open.splice(0)) await place.close();
  });

  describe(`engine ${plain.engine}`, () => {
    it('does exactly the steps of the job, and says what it did', async () => {
      const place = await made();
      const before = await place.content();
      const { images, skipped, failed, done } = await apply(place.job);
      expect([skipped, failed]).toEqual([[], []]);
      expect(await place.content()).not.toBe(before);
      expect(await sides(place, images)).toEqual(new Set(['after']));
      expect(done.length).toBeGreaterThan(1);
    });

    it('keeps the images before anything is stored, also where that takes time; a throw stops the change', async () => {
      const place = await made();
      const before = await place.content();
      const seen: string[] = [];
      await apply(place.job, {
        prepared: async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          seen.push(await place.content());
        },
      });
      expect(seen).toEqual([before]);
      const other = await made();
      const full = async () => {
        throw new Error('The journal is full.');
      };
      await expect(apply(other.job, { prepared: full })).rejects.toThrow('The journal is full.');
      expect(await other.content()).toBe(before);
    });

    it('changes nothing where a precondition does not hold', async () => {
      const place = await made();
      const before = await place.content();
      await expect(apply(place.stale)).rejects.toMatchObject({ code: expect.stringMatching(/^(changed|head_moved)$/) });
      expect(await place.content()).toBe(before);
    });

    it('is whole after a crash at every step: settled, it is as before or as after', async () => {
      const { before, after, steps } = await reference();
      expect(steps.length).toBeGreaterThan(1);
      const outcomes = new Set<string>();
      for (const at of steps) {
        const place = await made();
        let images: readonly Image[] = [];
        const left: ExecutorPlace[] = [];
        await apply(place.job, {
          prepared: (all) => void (images = all),
          onStep: (step) => {
            if (step === at) left.push(place.crash());
          },
        });
        open.push(...left);
        for (const crashed of left) {
          const settled = await executor.settle(crashed.place, journalled(images), { tag: 'suite' });
          outcomes.add(settled.outcome);
          expect([at, await crashed.content()]).toEqual([at, settled.outcome === 'completed' ? after : before]);
          expect(settled.skipped.length).toBe(settled.outcome === 'completed' ? 0 : images.length);
          const again = await executor.settle(crashed.place, journalled(images), { tag: 'suite' });
          expect(again.outcome).toBe(settled.outcome);
        }
      }
      expect(outcomes).toEqual(new Set(['rolled-back', 'completed']));
    });

    it('undo puts everything back, byte for byte, and can be undone itself', async () => {
      const place = await made();
      const before = await place.content();
      const { images } = await apply(place.job);
      const after = await place.content();
      const undone = await undo(place, images);
      expect(await place.content()).toBe(before);
      expect(await sides(place, images)).toEqual(new Set(['before']));
      await undo(place, undone.images);
      expect(await place.content()).toBe(after);
    });

    it('refuses an undo once something else was stored over what the change left', async () => {
      const place = await made();
      const { images } = await apply(place.job);
      await place.disturb();
      const before = await place.content();
      expect(await sides(place, images)).toContain('neither');
      const refused = await undo(place, images).then(
        ({ failed }) => failed.length > 0,
        () => true,
      );
      expect(refused).toBe(true);
      const now = await place.content();
      expect(now === before || (await sides(place, images)).has('neither')).toBe(true);
    });

    it('does one of two changes that were asked for at once, and refuses the other', async () => {
      const { after } = await reference();
      const place = await made();
      const results = await Promise.allSettled([apply(place.job), apply(place.job, { tag: 'second' })]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(await place.content()).toBe(after);
    });

    it('refuses images that a journal has kept damaged, and steps of another engine', async () => {
      const { place, job } = await made();
      const damaged = executor.compare(place, [{ kind: 'unheard of' }]);
      await expect(damaged).rejects.toMatchObject({ code: 'unreadable' });
      await expect(apply({ ...job, steps: { foreign: true } })).rejects.toMatchObject({ code: 'internal' });
    });
  });
}

/** As they come back from a journal. */
function journalled(images: readonly Image[]): Image[] {
  return images.map(({ mark, content }): Image => {
    const kept: unknown = JSON.parse(JSON.stringify(mark));
    return { mark: kept, ...(content ? { content: new Uint8Array(content) } : {}) };
  });
}
