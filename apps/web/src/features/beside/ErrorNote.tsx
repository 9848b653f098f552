import type { Address, CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { addressOf, NOWHERE } from '../../lib/address.ts';
import { besideQuery } from '../../lib/queries.ts';
import { CopyButton, Icon } from '../../components/index.ts';
import { useShown } from '../../lib/masking.ts';
import { useRested } from '../../lib/hooks.ts';
import type { BesideAnswer } from '../../lib/api.ts';
import './beside.css';

/** Why a checkpoint failed, whole, with the node: the same wherever the checkpoint is shown. */
export function ErrorNote({ meta }: { readonly meta: CheckpointMeta }) {
  const beside = useBeside(meta.status === 'failed' ? meta : undefined);
  const shown = useShown();
  const errors = meta.status === 'failed' ? (beside?.errors ?? []) : [];
  if (errors.length === 0) return null;
  return (
    <div className="error-note" role="group" aria-label="Error" tabIndex={0} data-testid="error-note">
      <Icon of={CircleAlert} size={16} />
      <div className="error-note-texts">
        {errors.map(({ node, text }, index) => (
          <p key={index}>
            {node !== undefined && <b>{shown(node)} failed. </b>}
            <span className="error-note-text">{shown(text)}</span>
          </p>
        ))}
      </div>
      <CopyButton text={errors.map(({ text }) => text).join('\n')} label="Copy error" />
    </div>
  );
}

const REST_MS = 120;

/** Errors, questions, writes and next nodes of a checkpoint, and what it refuses. Stepping quickly through a history asks for none. */
export function useBeside(meta: CheckpointMeta | undefined): BesideAnswer | undefined {
  return useBesideAt(meta && addressOf(meta));
}

export function useBesideAt(at: Address | undefined): BesideAnswer | undefined {
  const place = at === undefined ? '' : `${at.store}/${at.task}/${at.namespace ?? ''}/${at.id}`;
  const rested = useRested(place, REST_MS) === place;
  return useQuery({ ...besideQuery(at ?? NOWHERE), enabled: at !== undefined && rested }).data;
}
