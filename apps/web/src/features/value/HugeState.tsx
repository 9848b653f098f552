import { type CheckpointMeta, formatPath, type Part, type PartChild, type ValueNote } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useDownload } from '../../components/copy.ts';
import { Button, LoadingBar, QueryError, Skeleton, VirtualList } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { api } from '../../lib/api.ts';
import { fileName } from '../../lib/download.ts';
import { formatCount, formatSize, plural } from '../../lib/format.ts';
import { KeyCell, Value } from './ReadTree.tsx';
import { stateSizeWords } from '../../lib/readable.ts';
import { headQuery, type PartSource } from './source.ts';

interface HugeStateProps {
  readonly meta: CheckpointMeta;
  readonly source: PartSource;
  readonly onOpen: () => void;
  readonly onRaw: () => void;
}

const HEAD_ROWS = 200;
const ROW = 24;

interface HeadRow {
  readonly key: string;
  readonly depth: number;
  readonly step?: string | number;
  readonly note: ValueNote;
}

/** A state of which only the beginning is shown until the reader asks for more. */
export function HugeState({ meta, source, onOpen, onRaw }: HugeStateProps) {
  const head = useQuery(headQuery(source, HEAD_ROWS));
  const rows = head.data === undefined ? [] : headRows(head.data).slice(0, HEAD_ROWS);
  return (
    <div className="state-tab" data-testid="huge-state" data-state={head.data ? 'ready' : 'loading'}>
      <LoadingBar active={head.isFetching} />
      <div className="huge-note">
        <p>
          <span className="strong">{stateSizeWords(meta)}</span> is a lot for one page. Its first rows are shown; the
          rest is read in parts once you open it.
        </p>
        <span className="row-of-controls">
          <Button onClick={onOpen} data-testid="open-huge">
            Open it in parts
          </Button>
          <DownloadState meta={meta} />
        </span>
      </div>
      <QueryError query={head} title="The beginning could not be read.">
        <Button onClick={onRaw}>Show raw bytes</Button>
      </QueryError>
      {head.isPending && <Skeleton rows={12} height={ROW} />}
      {head.data && (
        <VirtualList
          items={rows}
          keyOf={(row) => row.key}
          heightOf={() => ROW}
          label="First rows of the state"
          role="list"
          scrolls
          className="state-tree"
          testId="state-head"
          render={(row) => <HeadLine row={row} />}
        />
      )}
      {head.data && <p className="state-foot small muted">{footWords(head.data, rows.length)}</p>}
    </div>
  );
}

function HeadLine({ row: { step = '$', note, depth } }: { readonly row: HeadRow }) {
  return (
    <div className="state-row" style={{ paddingLeft: 12 + depth * 16 }}>
      <KeyCell step={step} />
      {note.blob ? (
        <span className="state-value cut">{`${note.blob.mime ?? 'base64'}, ${formatSize(note.blob.bytes)}`}</span>
      ) : (
        <Value note={note} open={false} path={[]} />
      )}
    </div>
  );
}

function headRows(part: Part): HeadRow[] {
  const rows: HeadRow[] = [{ key: '$', depth: 0, note: part }];
  const add = (children: readonly PartChild[], path: readonly (string | number)[]): void => {
    for (const child of children) {
      const own = [...path, child.step];
      rows.push({ key: `${formatPath(own)} ${child.place}`, depth: own.length, step: child.step, note: child });
      add(child.children ?? [], own);
    }
  };
  add(part.children ?? [], []);
  return rows;
}

const footWords = (part: Part, rows: number): string =>
  `The first ${formatCount(rows)} rows. The state has ${plural(part.count ?? 0, part.kind === 'array' ? 'top-level item' : 'top-level key')}.`;

/** The whole state as a file; the page never holds its text. */
export function DownloadState({ meta }: { readonly meta: CheckpointMeta }) {
  const { loading, save } = useDownload(
    () => api.stateFile(addressOf(meta)),
    fileName(meta.id, 'json'),
    'The state could not be read.',
  );
  return (
    <Button
      icon={Download}
      onClick={save}
      disabledReason={loading ? 'Already downloading.' : undefined}
      data-testid="download-state"
    >
      {loading ? 'Reading…' : 'Download state'}
    </Button>
  );
}
