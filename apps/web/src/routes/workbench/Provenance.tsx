import type { CheckpointMeta } from '@checkpoint-inspector/core';
import type { ReactNode } from 'react';
import { LineageMark } from '../../components/index.ts';
import { cutMiddle, formatCount, formatDuration, formatSize, showId, stepNumber } from '../../lib/format.ts';
import type { Workbench } from '../../features/workbench/use-workbench.ts';

/** Where the checkpoint comes from: who wrote it, at what cost, after which parent. */
export function Provenance({ bench, meta }: { readonly bench: Workbench; readonly meta: CheckpointMeta }) {
  const { parent, history } = bench;
  const parentRow = parent && history.rows.find((row) => row.id === parent.id && row.namespace === parent.namespace);
  const writer = [
    meta.agentId,
    meta.stepIndex === undefined
      ? undefined
      : `step ${meta.stepIndex}${meta.totalSteps === undefined ? '' : ` of ${meta.totalSteps}`}`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
  const cost = [
    meta.durationMs === undefined ? undefined : formatDuration(meta.durationMs),
    meta.tokenUsage === undefined ? undefined : `${formatCount(meta.tokenUsage)} tokens`,
    meta.costUsd === undefined ? undefined : `${meta.costUsd} $`,
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
  return (
    <section className="section">
      <h3 className="label">Provenance</h3>
      <dl className="pairs">
        <Pair
          name="Checkpoint"
          value={
            <span className="data-small" title={showId(meta.id)}>
              {cutMiddle(showId(meta.id), 24)}
            </span>
          }
        />
        {writer !== '' && <Pair name="Written by" value={showId(writer)} />}
        {meta.trigger !== undefined && <Pair name="Saved by" value={meta.trigger} />}
        {cost !== '' && <Pair name={meta.durationMs === undefined ? 'Used' : 'Took'} value={cost} />}
        <Pair name="Size" value={formatSize(meta.sizeBytes)} />
        {meta.gitCommit !== undefined && (
          <Pair name="Git" value={<span className="data-small">{cutMiddle(meta.gitCommit, 16)}</span>} />
        )}
        {meta.graphSignature !== undefined && (
          <Pair name="Graph" value={<span className="data-small">{cutMiddle(meta.graphSignature, 16)}</span>} />
        )}
        {meta.revision !== undefined && (
          <Pair
            name="Revision"
            value={
              <span className="data-small" title={meta.revision}>
                {cutMiddle(meta.revision, 12)}
              </span>
            }
          />
        )}
        <Pair
          name="Parent"
          value={
            <span className="flex meta-parent">
              {parentRow ? (
                <button type="button" className="link" onClick={() => bench.select({ ...parent })}>
                  {stepNumber(parentRow)}
                </button>
              ) : (
                meta.parentId !== undefined && (
                  <span className="data-small" title={showId(meta.parentId)}>
                    {cutMiddle(showId(meta.parentId), 16)}
                  </span>
                )
              )}
              <LineageMark kind={meta.lineage} word />
            </span>
          }
        />
      </dl>
    </section>
  );
}

function Pair({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
