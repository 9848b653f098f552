import { expect } from 'vitest';
import type { CheckpointSource } from '../../contract.ts';
import { refKey } from '../../ids.ts';
import { decodeLineage, type LineageColumns, LineageEncoder } from '../../tree/index.ts';
import type { CheckpointMeta } from '../../model.ts';
import { collect, refOf } from '../builders.ts';
import { allCheckpoints, allTasks } from '../listing.ts';
import type { Case } from '../run.ts';
import { unknownTasks } from './checkpoints.ts';

/** What both the list and the tree say of a checkpoint. */
function shared(meta: CheckpointMeta) {
  const { id, namespace, status, seq, isLatest, lineage, parentId, problem } = meta;
  return { id, namespace, status, seq, isLatest, kind: lineage, parentId, problem: problem?.code };
}

export const lineageCases: readonly Case<CheckpointSource>[] = [
  {
    name: 'lineage: yields every checkpoint once, oldest first, as the list says',
    run: async (source) => {
      for (const task of await allTasks(source)) {
        const rows = await collect(source.lineage(task.id));
        const listed = await allCheckpoints(source, task.id);
        const bySeq = [...listed].sort((a, b) => a.seq - b.seq);
        expect(rows.map((row) => row.seq)).toEqual(bySeq.map((meta) => meta.seq));
        const nodes = rows.map(({ id, namespace, status, seq, isLatest, kind, parent, problem }) => ({
          id,
          namespace,
          status,
          seq,
          isLatest,
          kind,
          parentId: parent?.id,
          problem,
        }));
        expect(nodes).toEqual(bySeq.map(shared));
      }
    },
  },
  {
    name: 'lineage: parts, where there are some, say what the rows say',
    run: async (source) => {
      if (source.lineageParts === undefined) return;
      for (const task of await allTasks(source)) {
        const encoder = new LineageEncoder(task.id);
        for await (const part of source.lineageParts(task.id)) encoder.addPart(part);
        expect(decodeLineage(JSON.parse(encoder.end()) as LineageColumns)).toEqual(
          await collect(source.lineage(task.id)),
        );
      }
    },
  },
  {
    name: 'lineage: a parent is named exactly when the edge has a kind',
    run: async (source) => {
      for (const task of await allTasks(source)) {
        const rows = await collect(source.lineage(task.id));
        expect(rows.filter((row) => (row.parent === undefined) !== (row.kind === 'none'))).toEqual([]);
      }
    },
  },
  {
    name: 'lineage: an unknown task has none',
    run: async (source) => {
      for (const task of await unknownTasks(source)) expect(await collect(source.lineage(task))).toEqual([]);
    },
  },
  {
    name: 'latest: is the first readable checkpoint of the list and the only one marked',
    run: async (source) => {
      for (const task of await allTasks(source)) {
        const { ref, basis } = await source.latest(task.id);
        const metas = await allCheckpoints(source, task.id);
        const marked = metas.filter((meta) => meta.isLatest).map((meta) => refKey(refOf(meta)));
        expect(marked).toEqual(ref ? [refKey(ref)] : []);
        expect(basis === 'none').toBe(ref === undefined);
        expect(task.latestId).toBe(ref?.id);
        const first = metas.find((meta) => meta.problem === undefined);
        expect(ref && refKey(ref)).toBe(first && refKey(refOf(first)));
      }
    },
  },
  {
    name: 'latest: an unknown task has none',
    run: async (source) => {
      for (const task of await unknownTasks(source)) {
        const latest = await source.latest(task);
        expect([latest.ref, latest.basis]).toEqual([undefined, 'none']);
      }
    },
  },
];
