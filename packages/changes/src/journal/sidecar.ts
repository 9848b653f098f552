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
    async meta(ref, options) {
      const meta = await source.meta(ref, options);
      return meta && overlayMeta(meta, parents());
    },
    async *lineage(task, options) {
      const known = parents();
      for await (const row of source.lineage(task, options)) yield overlayRow(task, row, known);
    },
    state: (ref, options) => source.state(ref, options),
    latest: (task, options) => source.latest(task, options),
    find: (id, options) => source.find(id, options),
    ...(source.raw ? { raw: source.raw.bind(source) } : {}),
    ...(source.beside ? { beside: source.beside.bind(source) } : {}),
    ...(source.capability ? { capability: source.capability.bind(source) } : {}),
    ...(source.part ? { part: source.part.bind(source) } : {}),
    ...(source.diff ? { diff: source.diff.bind(source) } : {}),
    ...(source.unlock ? { unlock: (key) => source.unlock?.(key) ?? Promise.resolve() } : {}),
    ...(source.watch ? { watch: (onEvent) => source.watch?.(onEvent) ?? (() => undefined) } : {}),
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
