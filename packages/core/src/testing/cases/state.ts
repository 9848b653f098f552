import { expect } from 'vitest';
import type { CheckpointSource } from '../../contract.ts';
import { sha256Hex } from '../../hash.ts';
import { refKey } from '../../ids.ts';
import { parseJson } from '../../json/index.ts';
import type { CheckpointRef } from '../../model.ts';
import { refOf } from '../builders.ts';
import { everyCheckpoint, isReadable } from '../listing.ts';
import type { Case } from '../run.ts';

/** Vitest would compare a megabyte key by key, which takes a second; where the bytes differ, it says how. */
function expectBytes(actual: Uint8Array | undefined, expected: Uint8Array | undefined): void {
  const isSame = actual?.length === expected?.length && actual?.every((byte, at) => byte === expected?.[at]);
  if (!isSame) expect(actual).toEqual(expected);
}

/** Refs near stored ones that contain nothing. */
async function absentRefs(source: CheckpointSource): Promise<CheckpointRef[]> {
  const metas = await everyCheckpoint(source);
  const known = new Set(metas.map((meta) => refKey(refOf(meta))));
  const near = metas.slice(0, 20).flatMap((meta) => {
    const ref = refOf(meta);
    const ids = [
      `${ref.id}x`,
      ref.id.slice(0, -1),
      `../${ref.id}`,
      `./${ref.id}`,
      `${ref.id}/`,
      `${ref.id}%`,
      '__proto__',
      '..',
      '',
    ];
    return [
      ...ids.map((id) => ({ ...ref, id })),
      { ...ref, task: `${ref.task}x` },
      { ...ref, namespace: 'no such namespace' },
    ];
  });
  return near.filter((ref) => !known.has(refKey(ref)));
}

export const stateCases: readonly Case<CheckpointSource>[] = [
  {
    name: 'meta: is the row that the list has',
    run: async (source) => {
      for (const meta of await everyCheckpoint(source)) expect(await source.meta(refOf(meta))).toEqual(meta);
    },
  },
  {
    name: 'state: is JSON text with its own revision, the same each time',
    run: async (source) => {
      for (const meta of (await everyCheckpoint(source)).filter(isReadable)) {
        const state = await source.state(refOf(meta));
        expect(state, refKey(refOf(meta))).toBeDefined();
        const text = state?.text ?? '';
        expect(() => parseJson(text)).not.toThrow();
        expect(state?.revision).not.toBe('');
        if (state?.sha256 !== undefined) expect(state.sha256).toBe(await sha256Hex(text));
        expect(await source.state(refOf(meta))).toEqual(state);
        if (meta.revision !== undefined) expect(meta.revision).toBe(state?.revision);
      }
    },
  },
  {
    name: 'state: of a row with a problem is that error',
    run: async (source) => {
      for (const meta of await everyCheckpoint(source)) {
        if (!meta.problem) continue;
        expect(meta.problem.message).not.toBe('');
        await expect(source.state(refOf(meta))).rejects.toMatchObject({
          name: 'InspectorError',
          code: meta.problem.code,
        });
      }
    },
  },
  {
    name: 'raw: every row has its stored bytes, unreadable ones too, the same each time',
    run: async (source) => {
      for (const meta of source.raw ? await everyCheckpoint(source) : []) {
        const bytes = await source.raw?.(refOf(meta));
        expect(bytes, refKey(refOf(meta))).toBeInstanceOf(Uint8Array);
        expectBytes(await source.raw?.(refOf(meta)), bytes);
      }
    },
  },
  {
    name: 'raw: changing the bytes that were given changes nothing in the store',
    run: async (source) => {
      const [meta] = await everyCheckpoint(source);
      if (!meta) throw new Error('The source holds no checkpoint.');
      const given = await source.raw?.(refOf(meta));
      const before = await sha256Hex(given ?? '');
      given?.fill(0);
      expect(await sha256Hex((await source.raw?.(refOf(meta))) ?? '')).toBe(before);
    },
  },
  {
    name: 'meta, state, raw: what is not there is undefined, also beside ids that are',
    run: async (source) => {
      const refs = await absentRefs(source);
      expect(refs.length).toBeGreaterThan(0);
      for (const ref of refs) {
        const answers = [await source.meta(ref), await source.state(ref), await source.raw?.(ref)];
        expect(answers, refKey(ref)).toEqual([undefined, undefined, undefined]);
      }
    },
  },
  {
    name: 'find: gives every place of an id, and none for an unknown one',
    run: async (source) => {
      const metas = await everyCheckpoint(source);
      for (const { id } of metas.slice(0, 200)) {
        const places = metas.filter((meta) => meta.id === id).map((meta) => refKey(refOf(meta)));
        expect((await source.find(id)).map(refKey).sort()).toEqual(places.sort());
      }
      expect(await source.find('no such id \u0001')).toEqual([]);
    },
  },
];
