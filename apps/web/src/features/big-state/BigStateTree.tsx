import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { ChevronDown, ChevronUp, Search } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { ErrorState, IconButton, LoadingBar, Skeleton, TextField, VirtualList } from '../../components/index.ts';
import { formatCount, formatSize } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { BigStateRow } from './BigStateRow.tsx';
import { DownloadState } from './DownloadState.tsx';
import { seenOf } from './queries.ts';
import { useBigFind } from './use-big-find.ts';
import { useBigTree } from './use-big-tree.ts';
import './big-state.css';

interface BigStateTreeProps {
  readonly meta: CheckpointMeta;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
  readonly onRaw: () => void;
}

const ROW = 24;

/** A state too large for the page: rows are drawn as they come into view and read a page at a time. */
export function BigStateTree({ meta, path, onPath, onRaw }: BigStateTreeProps) {
  const seen = seenOf(meta);
  const tree = useBigTree(seen, path, onPath);
  const find = useBigFind(seen, path, onPath);
  const { root, rows, active } = tree;
  const onKey = (event: KeyboardEvent): void => {
    const row = rows[active];
    if (!row || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowRight' && !row.open) tree.toggle(row);
    else if (event.key === 'ArrowLeft' && row.open) tree.toggle(row);
    else if (event.key === 'ArrowLeft' && row.parent !== undefined) onPath(row.parent);
    else return;
    event.preventDefault();
  };
  if (root.isError) {
    return (
      <ErrorState title="This state could not be read." error={root.error} onRetry={() => void root.refetch()}>
        <button type="button" className="btn" onClick={onRaw}>
          Show raw bytes
        </button>
      </ErrorState>
    );
  }
  return (
    <div className="state-tab" data-testid="state-tab" data-state={root.data ? 'ready' : 'loading'}>
      <LoadingBar active={root.isFetching || find.isSearching} />
      <FindBar find={find} end={`${formatSize(meta.sizeBytes)}, read in parts`} />
      {tree.target.isError && path !== undefined && (
        <p className="state-derived" role="status">
          {tree.target.error.message}
        </p>
      )}
      {root.data === undefined ? (
        <Skeleton rows={12} height={ROW} />
      ) : (
        <VirtualList
          items={rows}
          keyOf={(row) => row.key}
          heightOf={() => ROW}
          label="State"
          role="tree"
          className="state-tree"
          active={active}
          onActive={(index) => {
            const row = rows[index];
            if (row) tree.focus(row);
          }}
          isRow={(row) => row.kind === 'value'}
          onKey={onKey}
          testId="state-tree"
          rowProps={(row) =>
            row.kind === 'range' ? {} : { 'aria-level': row.depth + 1, ...(row.open ? { 'aria-expanded': true } : {}) }
          }
          render={(row, index) => (
            <BigStateRow
              seen={seen}
              row={row}
              root={root.data}
              focused={index === active}
              matches={find.matches}
              onToggle={() => tree.toggle(row)}
              onFocus={() => tree.focus(row)}
            />
          )}
        />
      )}
      <div className="state-foot">
        <DownloadState meta={meta} />
        <span className="small muted end">{formatCount(rows.length)} rows</span>
      </div>
    </div>
  );
}

interface FindBarProps {
  readonly find: ReturnType<typeof useBigFind>;
  /** Said while nothing is looked for. */
  readonly end: string;
}

function FindBar({ find, end }: FindBarProps) {
  const shown = useShown();
  const { match } = find;
  return (
    <>
      <div className="state-bar">
        <TextField
          ref={find.field}
          icon={Search}
          label="Find in state"
          value={find.words}
          onChange={find.setWords}
          className="state-find"
          testId="state-find"
          onKeyDown={(event) => {
            if (event.key === 'Enter') find.step(event.shiftKey ? -1 : 1);
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        {find.words === '' ? (
          <span className="small muted end">{end}</span>
        ) : (
          <>
            <span className="small muted" role="status">
              {find.error ? find.error.message : find.summary}
            </span>
            <IconButton label="Previous match" kbd="N" icon={ChevronUp} onClick={() => find.step(-1)} />
            <IconButton label="Next match" kbd="n" icon={ChevronDown} onClick={() => find.step(1)} />
          </>
        )}
      </div>
      {find.words !== '' && match && (
        <p className="big-snippet data-small" data-testid="find-snippet">
          {shown(match.snippet) === match.snippet ? (
            <>
              {match.snippet.slice(0, match.from)}
              <mark>{match.snippet.slice(match.from, match.to)}</mark>
              {match.snippet.slice(match.to)}
            </>
          ) : (
            shown(match.snippet)
          )}
        </p>
      )}
    </>
  );
}
