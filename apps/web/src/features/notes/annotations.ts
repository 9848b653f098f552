import { refKey, sameRef, type CheckpointRef } from '@checkpoint-inspector/core';
import type { Annotation } from '../../lib/triage-queries.ts';

/** What was written about one checkpoint. */
export function annotationOf(
  items: readonly Annotation[] | undefined,
  ref: CheckpointRef,
): Pick<Annotation, 'labels' | 'note'> {
  return items?.find((item) => sameRef(item.ref, ref)) ?? { labels: [] };
}

/** By ref, for lists. */
export const annotationsByRef = (items: readonly Annotation[] | undefined): ReadonlyMap<string, Annotation> =>
  new Map((items ?? []).map((item) => [refKey(item.ref), item]));
