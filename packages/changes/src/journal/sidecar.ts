import { overlaid, refIn, refKey, refOfMeta } from '@checkpoint-inspector/core';
import type {
  CallOptions,
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  LineagePart,
  LineageRow,
} from '@checkpoint-inspector/core';
import type { SidecarEdge } from './types.ts';

/**
 * The same source with the parents that its store cannot hold and the journal keeps. What the store records itself
 * always wins over them.
 */
export function withSidecar(source: CheckpointSource, edges: () => readonly SidecarEdge[]): CheckpointSource {
  const parents = () => new Map(edges().map(({ child, parent }) => [refKey(child), parent]));
  return overlaid(source, {
    async checkpoints(task, query) {
      const page = await source.checkpoints(task, query);
      const known = parents();
      return known.size === 0 ? page : { ...page, items: page.items.map((meta) => overlayMeta(meta, known)) };
    },
    async meta(ref, options) {
      const meta = await source.meta(ref, options);
      return meta && overlayMeta(meta, parents());
    },
    ...(source.lineageParts ? { lineageParts: (task, options) => parts(source, task, parents(), options) } : {}),
    ...(source.version ? { version: versionWith((options) => source.version?.(options), edges) } : {}),
    async *lineage(task, options) {
      const known = parents();
      for await (const row of source.lineage(task, options)) yield overlayRow(task, row, known);
    },
  });
}

/** An edge may come from another process, which its store doesn't tell: another version for other edges. */
function versionWith(
  own: (options?: CallOptions) => object | undefined,
  edges: () => readonly SidecarEdge[],
): (options?: CallOptions) => object | undefined {
  let last: { readonly own: object; readonly edges: string; readonly version: object } | undefined;
  return (options) => {
    const version = own(options);
    const kept = edges();
    if (version === undefined || kept.length === 0) return version;
    const text = JSON.stringify(kept);
    if (last?.own !== version || last.edges !== text) last = { own: version, edges: text, version: {} };
    return last.version;
  };
}

async function* parts(
  source: CheckpointSource,
  task: string,
  known: Parents,
  options?: CallOptions,
): AsyncIterable<LineagePart> {
  if (known.size === 0 && source.lineageParts) yield* source.lineageParts(task, options);
  else for await (const row of source.lineage(task, options)) yield { rows: [overlayRow(task, row, known)] };
}

type Parents = ReadonlyMap<string, CheckpointRef>;

function overlayMeta(meta: CheckpointMeta, parents: Parents): CheckpointMeta {
  const parent = meta.lineage === 'recorded' || parents.size === 0 ? undefined : parents.get(refKey(refOfMeta(meta)));
  if (!parent) return meta;
  const { parentTaskId: _, ...rest } = meta;
  const other = parent.task === meta.taskId ? {} : { parentTaskId: parent.task };
  return { ...rest, ...other, parentId: parent.id, lineage: 'sidecar' };
}

function overlayRow(task: string, row: LineageRow, parents: Parents): LineageRow {
  const parent = row.kind === 'recorded' ? undefined : parents.get(refKey(refIn(task, row)));
  return parent ? { ...row, parent, kind: 'sidecar' } : row;
}
