import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { MOST_COPIED, partNow, pathOf, tryTextParts, useStateParts, valueQuery } from './source.ts';
import { stateQuery } from '../../lib/queries.ts';
import { copyText } from '../../components/copy.ts';
import { showToast } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { formatSize } from '../../lib/format.ts';
import { isLarge } from '../../lib/readable.ts';

/** The value at a path of a state; of a large one only its part is read. `more`: the text is only the beginning. */
export function useFocusedPart(meta: CheckpointMeta, path: string, wanted: boolean) {
  const large = isLarge(meta);
  const state = useQuery({ ...stateQuery(addressOf(meta), meta.revision), enabled: wanted && !large });
  const source = useStateParts(meta);
  const enabled = wanted && large && pathOf(path) !== undefined;
  const part = useQuery({ ...valueQuery(source, path), enabled });
  const whole = useMemo(() => (state.data === undefined ? undefined : tryTextParts(state.data.text)), [state.data]);
  if (!large) {
    const text = whole && partNow(whole, { path, depth: 0, preview: Number.POSITIVE_INFINITY })?.text;
    return { text, more: undefined, isReading: wanted && state.isPending };
  }
  const { data } = part;
  const copy = (): void => {
    if ((data?.length ?? 0) > MOST_COPIED) {
      showToast({ title: `${formatSize(data?.length ?? 0)}: download the value in the State tab instead.` });
      return;
    }
    source.value(path).then(
      async (value) => copyText(await value.text(), 'The value'),
      (error: Error) => showToast({ title: 'The value could not be read.', detail: error.message }),
    );
  };
  return {
    text: data?.text,
    more: data?.cut ? { length: data.length, copy } : undefined,
    isReading: enabled && part.isPending,
  };
}
