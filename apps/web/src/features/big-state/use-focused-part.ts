import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { showToast } from '../../components/index.ts';
import { api } from '../../lib/api.ts';
import { copyText } from '../../components/copy.ts';
import { formatSize } from '../../lib/format.ts';
import { seenOf, valueQuery } from './queries.ts';
import { pathOf } from './use-big-tree.ts';

export interface FocusedPart {
  readonly text: string | undefined;
  /** Where the text is only the beginning: how long all of it is, and how to copy it. */
  readonly more?: { readonly length: number; readonly copy: () => void };
  readonly isReading: boolean;
}

/** Longer values go to a file, not to the clipboard. */
const MOST_COPIED = 4_000_000;

/** The value at a path of a big state, read as a part. */
export function useFocusedPart(meta: CheckpointMeta, path: string, wanted: boolean): FocusedPart {
  const seen = seenOf(meta);
  const enabled = wanted && pathOf(path) !== undefined;
  const part = useQuery({ ...valueQuery(seen, path), enabled });
  const { data } = part;
  const copy = (): void => {
    if ((data?.length ?? 0) > MOST_COPIED) {
      showToast({ title: `${formatSize(data?.length ?? 0)}: download the value in the State tab instead.` });
      return;
    }
    api.value(seen.at, { path, hash: seen.hash }).then(
      async (value) => copyText(await value.text(), 'The value'),
      (error: Error) => showToast({ title: 'The value could not be read.', detail: error.message }),
    );
  };
  return {
    text: data?.text,
    ...(data?.cut ? { more: { length: data.length, copy } } : {}),
    isReading: enabled && part.isPending,
  };
}
