import { expect } from 'vitest';
import type { SystemRequest } from '../../change/index.ts';
import { type CheckpointSource, isChangeable } from '../../contract.ts';
import type { CheckpointRef } from '../../model.ts';
import { refOf } from '../builders.ts';
import { contents, everyCheckpoint } from '../listing.ts';
import type { Case } from '../run.ts';

export type Change = 'restore' | 'fork' | 'edit' | 'delete';
export const CHANGES: readonly Change[] = ['restore', 'fork', 'edit', 'delete'];

/** `text` is what an edit saves. */
export function requestOf(kind: Change, ref: CheckpointRef, text = '{}'): SystemRequest {
  if (kind === 'edit') return { kind, ref, text };
  return kind === 'delete' ? { kind, refs: [ref] } : { kind, ref };
}

export const infoCases: readonly Case<CheckpointSource>[] = [
  {
    name: 'info: says which store, which rule, and for each change yes or why not',
    run: async ({ info }) => {
      expect(info.id).toMatch(/^[a-z0-9-]+$/);
      // It continues a sentence: "Latest by …".
      expect(info.latestRule).toMatch(/^[a-z].*[^.]$/s);
      expect(info.indexed.n).toBeLessThanOrEqual(info.indexed.of);
      expect(JSON.parse(JSON.stringify(info))).toEqual(info);
      for (const capability of Object.values(info.capabilities))
        expect(capability === true || capability !== '').toBe(true);
    },
  },
  {
    name: 'plan: a change that the store cannot do is refused as unsupported, in words',
    run: async (source) => {
      const [meta] = await everyCheckpoint(source);
      if (!meta) throw new Error('The source holds no checkpoint.');
      for (const kind of CHANGES) {
        if (source.info.capabilities[kind] === true) {
          expect(isChangeable(source)).toBe(true);
        } else if (isChangeable(source)) {
          await expect(source.plan(requestOf(kind, refOf(meta)))).rejects.toMatchObject({ code: 'unsupported' });
        }
      }
    },
  },
  {
    name: 'plan: a checkpoint that is not there is not_found',
    run: async (source) => {
      if (!isChangeable(source)) {
        expect(Object.values(source.info.capabilities)).not.toContain(true);
        return;
      }
      const [meta] = await everyCheckpoint(source);
      const ref = { task: meta?.taskId ?? '', id: 'no such id' };
      for (const kind of CHANGES) {
        const code = source.info.capabilities[kind] === true ? 'not_found' : 'unsupported';
        await expect(source.plan(requestOf(kind, ref))).rejects.toMatchObject({ code });
      }
    },
  },
  {
    name: 'close: twice is as once; before it, reading has changed nothing',
    run: async (source) => {
      const before = await contents(source);
      expect(await contents(source)).toEqual(before);
      await source.close?.();
      await expect(Promise.resolve(source.close?.())).resolves.toBeUndefined();
    },
  },
];
