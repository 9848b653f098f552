import { diffQuery, stateQuery } from '../../lib/queries.ts';
import type { CheckpointMeta, CheckpointRef } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import { useMemo, useState } from 'react';
import {
  Button,
  CopyButton,
  EmptyState,
  ErrorState,
  Icon,
  LoadingBar,
  QueryError,
  Skeleton,
} from '../../components/index.ts';
import { addressOf, NOWHERE, toAddress } from '../../lib/address.ts';
import { type Changes, changesOf } from './changes.ts';
import { formatCount, formatSize, plural } from '../../lib/format.ts';
import { tryParse } from '../../lib/json.ts';
import { isHuge, isLarge, isLocked, stateSizeWords } from '../../lib/readable.ts';
import { DownloadState, HugeState } from './HugeState.tsx';
import { ReadTree } from './ReadTree.tsx';
import { partNow, textParts, useStateParts } from './source.ts';

interface StateTabProps {
  readonly meta: CheckpointMeta;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
  readonly onRaw: () => void;
  /** What this checkpoint continued from. */
  readonly parent: CheckpointRef | undefined;
  readonly rules: readonly string[] | undefined;
}

/** What the system hands back on resume; a large one is read in parts. */
export function StateTab(props: StateTabProps) {
  const { meta } = props;
  const place = `${meta.store} ${meta.taskId} ${meta.namespace ?? ''} ${meta.id}`;
  return isLarge(meta) && !isLocked(meta.problem) ? (
    <LargeState key={`${place} ${meta.revision ?? ''}`} {...props} />
  ) : (
    <WholeState key={place} {...props} />
  );
}

function LargeState({ meta, path, onPath, onRaw, ...since }: StateTabProps) {
  const changes = useStateChanges(meta, since.parent, since.rules);
  // A link to a value inside opens a huge state too: whoever follows it wants to see that value.
  const [opened, setOpened] = useState(!isHuge(meta) || path !== undefined);
  const source = useStateParts(meta);
  if (!opened) return <HugeState meta={meta} source={source} onOpen={() => setOpened(true)} onRaw={onRaw} />;
  return (
    <ReadTree
      source={source}
      path={path}
      onPath={onPath}
      changes={changes}
      end={`${stateSizeWords(meta)}, read in parts`}
      instead={<Button onClick={onRaw}>Show raw bytes</Button>}
      renderFoot={(rows) => (
        <>
          <DownloadState meta={meta} />
          <span className="small muted end">{formatCount(rows)} rows</span>
        </>
      )}
    />
  );
}

function WholeState({ meta, path, onPath, onRaw, ...since }: StateTabProps) {
  const changes = useStateChanges(meta, since.parent, since.rules);
  const locked = isLocked(meta.problem);
  const state = useQuery({ ...stateQuery(addressOf(meta), meta.revision), enabled: !locked });
  const text = state.data?.text;
  const read = useMemo(() => (text === undefined ? undefined : readText(text, meta.id)), [text, meta.id]);
  const showRaw = <Button onClick={onRaw}>Show raw bytes</Button>;
  if (locked) return <EmptyState action={showRaw}>Without its key only the stored bytes can be shown.</EmptyState>;
  if (state.isError) {
    return (
      <QueryError query={state} title="This state could not be read.">
        {showRaw}
      </QueryError>
    );
  }
  if (text === undefined || read === undefined) {
    return (
      <>
        <LoadingBar active />
        <Skeleton rows={12} height={24} />
      </>
    );
  }
  if ('error' in read) {
    return (
      <ErrorState title="The state isn't valid JSON." error={read.error}>
        {showRaw}
      </ErrorState>
    );
  }
  const root = partNow(read.source, { path: '$', depth: 0 });
  return (
    <ReadTree
      source={read.source}
      path={path}
      onPath={onPath}
      changes={changes}
      end={`${plural(root?.count ?? 0, root?.kind === 'array' ? 'top-level item' : 'top-level key')}, ${formatCount(text.length)} characters`}
      note={
        state.data?.derived !== undefined && (
          <p className="state-derived">
            <Icon of={Info} />
            Assembled for reading: {state.data.derived} <span className="muted">{formatSize(text.length)}</span>
          </p>
        )
      }
      isFetching={state.isFetching}
      instead={showRaw}
      renderFoot={() => <CopyButton text={text} label="Copy state" />}
    />
  );
}

/** All of a text is checked before its parts are shown. */
function readText(text: string, name: string) {
  const parsed = tryParse(text);
  return 'error' in parsed ? parsed : { source: textParts(text, name) };
}

/** What the checkpoint changed, by the rules of the Changes tab. Without an answer nothing is marked. */
function useStateChanges(
  meta: CheckpointMeta,
  parent: CheckpointRef | undefined,
  rules: readonly string[] | undefined,
): Changes | undefined {
  const from = parent === undefined ? NOWHERE : toAddress(meta.store, parent);
  const enabled = parent !== undefined && meta.problem === undefined;
  const { data, isPlaceholderData } = useQuery({ ...diffQuery(from, addressOf(meta), rules), enabled, retry: false });
  const items = enabled && !isPlaceholderData ? data?.items : undefined;
  // The place of the marks is kept while they are read, so that no row moves when they come.
  return useMemo(() => (enabled ? changesOf(items ?? []) : undefined), [enabled, items]);
}
