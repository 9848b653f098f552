import { type Address, type CheckpointRef, refKey, sameRef } from '@checkpoint-inspector/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { showToast } from '../../components/index.ts';
import { api, type Annotation } from '../../lib/api.ts';

export const BOOKMARK = 'bookmark';

type AnnotationChange =
  | { readonly kind: 'add' | 'remove'; readonly label: string }
  | { readonly kind: 'note'; readonly note: string };

/** Writes a label or the note of a checkpoint; every list that shows them is read again. */
export function useAnnotate(at: Address) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: AnnotationChange) => {
      if (change.kind === 'note') return api.setNote(at, change.note);
      return change.kind === 'add' ? api.addLabel(at, change.label) : api.removeLabel(at, change.label);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['annotations', at.store, at.task] }),
    onError: (error) => showToast({ title: error.message }),
  });
}

export function annotationOf(
  items: readonly Annotation[] | undefined,
  ref: CheckpointRef,
): Pick<Annotation, 'labels' | 'note'> {
  return items?.find((item) => sameRef(item.ref, ref)) ?? { labels: [] };
}

export const annotationsByRef = (items: readonly Annotation[] | undefined): ReadonlyMap<string, Annotation> =>
  new Map((items ?? []).map((item) => [refKey(item.ref), item]));
