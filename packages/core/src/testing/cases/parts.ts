import { expect } from 'vitest';
import type { CheckpointSource } from '../../contract.ts';
import { diffJson } from '../../diff/index.ts';
import { refKey } from '../../ids.ts';
import { refOf } from '../builders.ts';
import { everyCheckpoint, isReadable } from '../listing.ts';
import { formatPath, parseJson, sourceOf, valueAt } from '../../json/index.ts';
import type { Case } from '../run.ts';

const PAIRS = 50;

/** What a source may answer without a whole text. Nothing is checked of one that leaves this to the texts. */
export const nodeCases: readonly Case<CheckpointSource>[] = [
  {
    name: 'diff: says what the texts of the states say, both ways and with the same rules',
    run: async (source) => {
      const metas = source.diff ? (await everyCheckpoint(source)).filter(isReadable).slice(0, PAIRS) : [];
      for (const [at, meta] of metas.entries()) {
        const [a, b] = [refOf(meta), refOf(metas[at + 1] ?? metas[0] ?? meta)];
        for (const [before, after] of [
          [a, b],
          [b, a],
        ] as const) {
          const [old, own] = [await source.state(before), await source.state(after)];
          for (const ignore of [[], source.info.volatilePaths]) {
            const known = await source.diff?.(before, after, { ignore });
            if (known === undefined) continue;
            const { equal: _equal, ...whole } = diffJson(old?.text ?? '', own?.text ?? '', { ignore });
            const { equal: _none, revisions, ...diff } = known;
            expect(diff, `${refKey(before)} ${refKey(after)}`).toEqual(whole);
            // A source whose rows have revisions tells them here too.
            if (revisions ?? meta.revision) expect(revisions).toEqual([old?.revision, own?.revision]);
          }
        }
      }
    },
  },
  {
    name: 'diff: of a checkpoint that is not there is left to the texts',
    run: async (source) => {
      const [meta] = await everyCheckpoint(source);
      if (!meta || !source.diff) return;
      const ref = refOf(meta);
      const absent = { ...ref, id: `${ref.id}x` };
      expect([await source.diff(ref, absent), await source.diff(absent, ref)]).toEqual([undefined, undefined]);
    },
  },
  {
    name: 'part: is the value as the text has it, and the members in a range',
    run: async (source) => {
      const metas = source.part ? (await everyCheckpoint(source)).filter(isReadable).slice(0, PAIRS) : [];
      for (const meta of metas) {
        const ref = refOf(meta);
        const text = (await source.state(ref))?.text ?? '';
        const root = parseJson(text);
        const steps = root.kind === 'object' ? root.members.map(({ key }) => key) : [];
        for (const path of [[], ...steps.slice(0, 20).map((key) => [key])]) {
          const part = await source.part?.(ref, formatPath(path));
          const value = valueAt(text, root, path);
          if (part && value) expect(part.text, formatPath(path)).toBe(sourceOf(text, value));
          if (value?.kind !== 'array') continue;
          const page = await source.part?.(ref, formatPath(path), { offset: 1, limit: 2 });
          const items = value.items.slice(1, 3).map((item) => sourceOf(text, item));
          if (page) expect(page).toMatchObject({ text: `[${items.join(',')}]`, count: value.items.length });
        }
      }
    },
  },
];
