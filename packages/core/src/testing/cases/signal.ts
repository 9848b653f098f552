import { expect } from 'vitest';
import { isChangeable, type CallOptions, type CheckpointSource } from '../../contract.ts';
import type { CheckpointRef } from '../../model.ts';
import { collect, refOf } from '../builders.ts';
import { everyCheckpoint } from '../listing.ts';
import type { Case } from '../run.ts';

/** Every call of a source for one checkpoint. */
const calls = (source: CheckpointSource, ref: CheckpointRef) => ({
  tasks: (options: CallOptions) => source.tasks(options),
  checkpoints: (options: CallOptions) => source.checkpoints(ref.task, options),
  lineage: (options: CallOptions) => collect(source.lineage(ref.task, options)),
  meta: (options: CallOptions) => source.meta(ref, options),
  state: (options: CallOptions) => source.state(ref, options),
  latest: (options: CallOptions) => source.latest(ref.task, options),
  find: (options: CallOptions) => source.find(ref.id, options),
  raw: source.raw && ((options: CallOptions) => source.raw?.(ref, options)),
  beside: source.beside && ((options: CallOptions) => source.beside?.(ref, options)),
  capability: source.capability && ((options: CallOptions) => source.capability?.(ref, options)),
});

async function anyRef(source: CheckpointSource): Promise<CheckpointRef> {
  const [meta] = await everyCheckpoint(source);
  if (!meta) throw new Error('The source holds no checkpoint.');
  return refOf(meta);
}

export const signalCases: readonly Case<CheckpointSource>[] = [
  {
    name: 'signal: a call whose signal is aborted rejects with its reason',
    run: async (source) => {
      const reason = new Error('No longer wanted.');
      const signal = AbortSignal.abort(reason);
      const ref = await anyRef(source);
      for (const [name, call] of Object.entries(calls(source, ref))) {
        if (call) await expect(call({ signal }), name).rejects.toBe(reason);
      }
      if (!isChangeable(source)) return;
      await expect(source.plan({ kind: 'delete', refs: [ref] }, { signal }), 'plan').rejects.toBe(reason);
    },
  },
  {
    name: 'signal: one that is never aborted changes no answer',
    run: async (source) => {
      const { signal } = new AbortController();
      for (const [name, call] of Object.entries(calls(source, await anyRef(source)))) {
        if (call) expect(await answerOf(() => call({ signal })), name).toEqual(await answerOf(() => call({})));
      }
    },
  },
  {
    name: 'signal: a lineage that is given up half way ends there',
    run: async (source) => {
      const { task } = await anyRef(source);
      const stopping = new AbortController();
      const rows = source.lineage(task, { signal: stopping.signal })[Symbol.asyncIterator]();
      await rows.next();
      const reason = new Error('Enough.');
      stopping.abort(reason);
      const rest = async (): Promise<void> => {
        for (let next = await rows.next(); next.done !== true; next = await rows.next());
      };
      const { length } = await collect(source.lineage(task));
      if (length > 1) await expect(rest()).rejects.toBe(reason);
    },
  },
];

async function answerOf(call: () => Promise<unknown> | undefined): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}
