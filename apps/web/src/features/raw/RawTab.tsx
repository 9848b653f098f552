import { maskSecrets, type CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button, ErrorState, LoadingBar, showToast } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { api } from '../../lib/api.ts';
import { fileName, saveFile } from '../../lib/download.ts';
import { formatCount, formatSize } from '../../lib/format.ts';
import { useRevealed } from '../../lib/masking.ts';
import { hexLines, secretBytes, type RawHead } from './hex.ts';
import { rawHeadQuery } from './query.ts';
import './raw.css';

/** The stored bytes: size, the first of them, and all as a file. */
export function RawTab({ meta }: { readonly meta: CheckpointMeta }) {
  const raw = useQuery(rawHeadQuery(addressOf(meta), meta.revision));
  const head = raw.data?.head;
  const size = raw.data?.size ?? meta.sizeBytes;
  const revealed = useRevealed();
  const shown = useMemo(() => head && headText(head, revealed), [head, revealed]);
  const [loading, setLoading] = useState(false);
  const save = (): void => {
    setLoading(true);
    api
      .raw(addressOf(meta))
      .then(
        (blob) => saveFile(blob, fileName(meta.id, 'raw')),
        (error: Error) => showToast({ title: 'The stored bytes could not be read.', detail: error.message }),
      )
      .finally(() => setLoading(false));
  };
  if (raw.isError)
    return (
      <ErrorState title="The stored bytes could not be read." error={raw.error} onRetry={() => void raw.refetch()} />
    );
  return (
    <div className="raw-tab" data-testid="raw-tab">
      <LoadingBar active={raw.isFetching} />
      <div className="raw-bar">
        <span>{formatSize(size)}</span>
        <span className="muted">{formatCount(size)} bytes, as stored</span>
        <Button
          className="end"
          icon={Download}
          onClick={save}
          disabledReason={loading ? 'It is being read.' : undefined}
        >
          Download
        </Button>
      </div>
      {head && size > head.shown && (
        <p className="raw-note">The first {formatSize(head.shown)} are shown; the download has all.</p>
      )}
      <pre className="raw-text" tabIndex={0} aria-label="Stored bytes">
        {shown}
      </pre>
    </div>
  );
}

function headText(head: RawHead, revealed: boolean): string {
  if (head.kind === 'bytes') return hexLines(head.bytes, revealed ? [] : secretBytes(head.bytes));
  return revealed ? head.text : maskSecrets(head.text);
}
