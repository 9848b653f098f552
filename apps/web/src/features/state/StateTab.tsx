import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import { useMemo } from 'react';
import { CopyButton, EmptyState, ErrorState, Icon, LoadingBar, Skeleton } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { isBig } from '../../lib/big.ts';
import { formatSize } from '../../lib/format.ts';
import { tryParse } from '../../lib/json.ts';
import { isLocked } from '../../lib/locks.ts';
import { stateQuery } from '../../lib/queries.ts';
import { BigStateTab } from '../big-state/BigStateTab.tsx';
import { StateTree } from './StateTree.tsx';

interface StateTabProps {
  readonly meta: CheckpointMeta;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
  readonly onRaw: () => void;
}

/** What the system hands back on resume; a big one is read in parts. */
export function StateTab(props: StateTabProps) {
  const { meta } = props;
  const key = `${meta.store} ${meta.taskId} ${meta.namespace ?? ''} ${meta.id} ${meta.revision ?? ''}`;
  return isBig(meta) && !isLocked(meta.problem) ? <BigStateTab key={key} {...props} /> : <WholeState {...props} />;
}

function WholeState({ meta, path, onPath, onRaw }: StateTabProps) {
  const locked = isLocked(meta.problem);
  const state = useQuery({ ...stateQuery(addressOf(meta), meta.revision), enabled: !locked });
  const text = state.data?.text;
  const parsed = useMemo(() => (text === undefined ? undefined : tryParse(text)), [text]);
  const showRaw = (
    <button type="button" className="btn" onClick={onRaw}>
      Show raw bytes
    </button>
  );
  if (locked) return <EmptyState action={showRaw}>Without its key only the stored bytes can be shown.</EmptyState>;
  if (state.isError) {
    return (
      <ErrorState title="This state could not be read." error={state.error} onRetry={() => void state.refetch()}>
        {showRaw}
      </ErrorState>
    );
  }
  if (text === undefined || parsed === undefined) {
    return (
      <>
        <LoadingBar active />
        <Skeleton rows={12} height={24} />
      </>
    );
  }
  if ('error' in parsed) {
    return (
      <ErrorState title="The state is no valid JSON." error={parsed.error}>
        {showRaw}
      </ErrorState>
    );
  }
  return (
    <div className="state-tab" data-testid="state-tab">
      <LoadingBar active={state.isFetching} />
      {state.data?.derived !== undefined && (
        <p className="state-derived">
          <Icon of={Info} />
          Assembled for reading: {state.data.derived} <span className="muted">{formatSize(text.length)}</span>
        </p>
      )}
      <StateTree
        key={`${meta.taskId} ${meta.namespace ?? ''} ${meta.id}`}
        text={text}
        root={parsed.node}
        path={path}
        onPath={onPath}
      />
      <div className="state-foot">
        <CopyButton text={text} label="Copy state" />
      </div>
    </div>
  );
}
