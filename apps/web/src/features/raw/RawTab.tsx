import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { Button, ErrorState, LoadingBar } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { formatCount, formatSize } from '../../lib/format.ts';
import { rawQuery } from '../../lib/queries.ts';
import { hexLines, rawHead } from './hex.ts';
import './raw.css';

/** The stored bytes: size, the first of them, and all as a file. */
export function RawTab({ meta }: { readonly meta: CheckpointMeta }) {
  const raw = useQuery(rawQuery(addressOf(meta), meta.stateHash));
  const blob = raw.data;
  const head = useQuery({
    queryKey: ['raw-head', meta.store, meta.taskId, meta.namespace ?? '', meta.id, raw.dataUpdatedAt],
    queryFn: () => rawHead(blob ?? new Blob()),
    enabled: blob !== undefined,
    gcTime: 0,
  });
  const shown = useMemo(() => (head.data?.kind === 'bytes' ? hexLines(head.data.bytes) : head.data?.text), [head.data]);
  if (raw.isError)
    return (
      <ErrorState title="The stored bytes could not be read." error={raw.error} onRetry={() => void raw.refetch()} />
    );
  return (
    <div className="raw-tab" data-testid="raw-tab">
      <LoadingBar active={raw.isFetching} />
      <div className="raw-bar">
        <span>{formatSize(blob?.size ?? meta.sizeBytes)}</span>
        <span className="muted">{formatCount(blob?.size ?? meta.sizeBytes)} bytes, as stored</span>
        {blob && (
          <Button className="end" icon={Download} onClick={() => download(blob, fileName(meta))}>
            Download
          </Button>
        )}
      </div>
      {blob && head.data && blob.size > head.data.shown && (
        <p className="raw-note">The first {formatSize(head.data.shown)} are shown; the download has all.</p>
      )}
      <pre className="raw-text" tabIndex={0} aria-label="Stored bytes">
        {shown}
      </pre>
    </div>
  );
}

/** A name every file system takes. */
const fileName = (meta: CheckpointMeta): string =>
  `${(meta.id || 'checkpoint')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '_')
    .slice(0, 100)}.raw`;

function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken the bytes over by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
