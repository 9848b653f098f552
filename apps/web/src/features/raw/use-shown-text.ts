import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMasking } from '../../lib/masking.ts';
import { isFile } from '../../lib/viewer/page.ts';
import { shownText, type TextAnswer, type TextLook, type TextRequest } from './shown-text.ts';

/** Up to this length, parsing and masking takes a few milliseconds; longer texts go to a worker. */
export const AT_ONCE = 200_000;

interface Source {
  /** Names the text. */
  readonly key: readonly unknown[];
  readonly text: string | undefined;
}

/** `text` and `notJson` are absent while a worker is at it, and without a source. */
export function useShownText(source: Source | undefined, { formatted, revealed }: TextLook) {
  const { key = [], text } = source ?? {};
  const masking = useMasking();
  // A file has no worker in it, and no state that is too large to do without.
  const isLong = text !== undefined && text.length > AT_ONCE && !isFile();
  const short = useMemo(
    () => (text === undefined || isLong ? undefined : shownText({ text, formatted, revealed })),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- rules that changed mask otherwise
    [text, isLong, formatted, revealed, masking],
  );
  const query = useQuery({
    queryKey: ['shown-text', ...key, formatted, revealed, masking],
    queryFn: ({ signal }) => inWorker({ text: text ?? '', formatted, revealed, masking }, signal),
    enabled: isLong,
    retry: false,
    gcTime: 30_000,
  });
  const answer = short ?? (isLong ? query.data : undefined);
  if (answer === undefined) return { query };
  return 'text' in answer ? { query, text: answer.text } : { query, notJson: answer.notJson };
}

function inWorker(request: TextRequest, signal: AbortSignal): Promise<TextAnswer> {
  const worker = new Worker(new URL('./shown-worker.ts', import.meta.url), { type: 'module' });
  const answer = new Promise<TextAnswer>((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<TextAnswer>) => resolve(data));
    worker.addEventListener('error', ({ message }) => reject(new Error(message || 'The worker could not be started.')));
    signal.addEventListener('abort', () => reject(new Error('No longer asked for.')));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
    worker.postMessage(request);
  });
  return answer.finally(() => worker.terminate());
}
