import { type CheckpointMeta, findSecretBytes } from '@checkpoint-inspector/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useDownload } from '../../components/copy.ts';
import { Button, LoadingBar, QueryError, Skeleton } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { api } from '../../lib/api.ts';
import { fileName } from '../../lib/download.ts';
import { formatCount, formatSize } from '../../lib/format.ts';
import { useMedia } from '../../lib/hooks.ts';
import { tryParse } from '../../lib/json.ts';
import { useRevealed } from '../../lib/masking.ts';
import { hashedKey } from '../../lib/queries.ts';
import { HEAD_BYTES, hexLines, type RawHead, rawHead } from './bytes.ts';
import { LinesView } from './LinesView.tsx';
import { NOT_JSON } from './shown-text.ts';
import { AT_ONCE, useShownText } from './use-shown-text.ts';

/** Read at once; up to the second limit on demand. More would hold up the page. */
const [READ_BYTES, MOST_BYTES] = [512_000, 8_000_000];

/** The stored bytes with line numbers: as stored or formatted. */
export function RawTab({ meta }: { readonly meta: CheckpointMeta }) {
  const [asked, setAsked] = useState(false);
  const [isLaid, setLaid] = useState(false);
  const most = meta.sizeBytes <= READ_BYTES || asked ? MOST_BYTES : HEAD_BYTES;
  const raw = useQuery(rawQuery(meta, most));
  const head = raw.data?.head;
  const size = raw.data?.size ?? meta.sizeBytes;
  const revealed = useRevealed();
  const narrow = useMedia('(max-width: 1599px)');
  const refused = useMemo(() => head && notFormatted(head, size), [head, size]);
  const source = {
    key: [...rawKey(meta), most, raw.dataUpdatedAt],
    text: head?.kind === 'text' ? head.text : undefined,
  };
  const stored = useShownText(source, { formatted: false, revealed });
  const laid = useShownText(isLaid && refused === undefined ? source : undefined, { formatted: true, revealed });
  const shown = head?.kind === 'bytes' ? hexOf(head.bytes, revealed, narrow) : (laid.text ?? stored.text);
  const formats = laid.text !== undefined;
  const { loading, save } = useDownload(
    () => api.raw(addressOf(meta)),
    fileName(meta.id, 'raw'),
    'The stored bytes could not be read.',
  );
  const failed = [raw, stored.query, laid.query].find(({ isError }) => isError);
  if (failed) return <QueryError query={failed} title="The stored bytes could not be read." />;
  if (head === undefined || shown === undefined) {
    return (
      <div className="raw-tab" data-testid="raw-tab">
        <LoadingBar active />
        <Skeleton rows={12} height={24} />
      </div>
    );
  }
  return (
    <div className="raw-tab" data-testid="raw-tab">
      <LoadingBar active={raw.isFetching || stored.query.isFetching || laid.query.isFetching} />
      <LinesView text={shown} label="Stored bytes">
        <span className="end button-pair" role="group" aria-label="Layout">
          <Button
            size="sm"
            aria-pressed={formats}
            onClick={() => setLaid(true)}
            disabledReason={refused ?? laid.notJson}
            data-testid="raw-formatted"
          >
            Formatted
          </Button>
          <Button size="sm" aria-pressed={!formats} onClick={() => setLaid(false)}>
            As stored
          </Button>
        </span>
      </LinesView>
      <div className="raw-foot">
        <span>{formatSize(size)}</span>
        <span className="muted">{formatCount(size)} bytes, as stored</span>
        {size > head.shown && (
          <span className="muted">
            The first {formatSize(head.shown)} are shown
            {size > MOST_BYTES
              ? ': showing all of it would slow the page down. Download has everything; State reads it in parts.'
              : '.'}
          </span>
        )}
        {size > head.shown && head.kind === 'text' && size <= MOST_BYTES && (
          <Button size="sm" onClick={() => setAsked(true)}>
            Show all
          </Button>
        )}
        <Button
          className="end"
          size="sm"
          icon={Download}
          onClick={save}
          disabledReason={loading ? 'Already downloading.' : undefined}
        >
          Download
        </Button>
      </div>
    </div>
  );
}

/** Why these bytes cannot be formatted; a longer text is read when it is asked for. */
function notFormatted(head: RawHead, size: number): string | undefined {
  if (head.kind !== 'text') return 'These bytes are not text.';
  if (size > head.shown) return 'Only the beginning is loaded.';
  return head.text.length <= AT_ONCE && 'error' in tryParse(head.text) ? NOT_JSON : undefined;
}

const hexOf = (bytes: Uint8Array, revealed: boolean, narrow: boolean): string =>
  hexLines(bytes, revealed ? [] : findSecretBytes(bytes), narrow ? 8 : 16);

const rawKey = (meta: CheckpointMeta) => hashedKey('raw', addressOf(meta), meta.revision);

/** The first of the stored bytes, and how many there are in all. */
const rawQuery = (meta: CheckpointMeta, most: number) =>
  queryOptions({
    queryKey: [...rawKey(meta), 'head', most],
    queryFn: async ({ signal }) => {
      const { head, size } = await api.rawHead(addressOf(meta), most, { signal });
      return { head: await rawHead(head, size, most), size };
    },
    gcTime: 30_000,
  });
