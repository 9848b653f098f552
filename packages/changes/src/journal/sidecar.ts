import { isChangeable, refKey } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, CheckpointSource, LineageRow } from '@checkpoint-inspector/core';

export interface ParentEdge {
  readonly child: CheckpointRef;
  readonly parent: CheckpointRef;
}

/**
 * The same source with the parents that its store cannot hold and the journal keeps. What the store records itself
 * always wins over them.
 */
export function withSidecar(source: CheckpointSource, edges: () => readonly ParentEdge[]): CheckpointSource {
  const parents = () => new Map(edges().map(({ child, parent }) => [refKey(child), parent]));
  return {
    get info() {
      return source.info;
    },
    tasks: (query) => source.tasks(query),
    async checkpoints(task, query) {
      const page = await source.checkpoints(task, query);
      const known = parents();
      return known.size === 0 ? page : { ...page, items: page.items.map((meta) => overlayMeta(meta, known)) };
    },
    async *lineage(task) {
      const known = parents();
      for await (const row of source.lineage(task)) yield overlayRow(task, row, known);
    },
    state: (ref) => source.state(ref),
    raw: (ref) => source.raw(ref),
    latest: (task) => source.latest(task),
    find: (id) => source.find(id),
    ...(source.beside ? { beside: (ref: CheckpointRef) => source.beside?.(ref) ?? Promise.resolve(undefined) } : {}),
    ...(source.capability
      ? { capability: (ref: CheckpointRef) => source.capability?.(ref) ?? Promise.resolve({}) }
      : {}),
    ...(source.unlock ? { unlock: (key) => source.unlock?.(key) ?? Promise.resolve() } : {}),
    ...(source.watch ? { watch: (onChange) => source.watch?.(onChange) ?? (() => undefined) } : {}),
    ...(source.save ? { save: source.save.bind(source) } : {}),
    ...(source.close ? { close: () => source.close?.() ?? Promise.resolve() } : {}),
    ...(isChangeable(source) ? { plan: (request: Parameters<typeof source.plan>[0]) => source.plan(request) } : {}),
  };
}

type Parents = ReadonlyMap<string, CheckpointRef>;

function overlayMeta(meta: CheckpointMeta, parents: Parents): CheckpointMeta {
  const parent = meta.lineage === 'recorded' ? undefined : parents.get(refKey({ ...meta, task: meta.taskId }));
  if (!parent) return meta;
  const { parentTaskId: _, ...rest } = meta;
  const other = parent.task === meta.taskId ? {} : { parentTaskId: parent.task };
  return { ...rest, ...other, parentId: parent.id, lineage: 'sidecar' };
}

function overlayRow(task: string, row: LineageRow, parents: Parents): LineageRow {
  const parent = row.kind === 'recorded' ? undefined : parents.get(refKey({ ...row, task }));
  return parent ? { ...row, parent, kind: 'sidecar' } : row;
}
