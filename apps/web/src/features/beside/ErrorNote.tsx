import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { CircleAlert } from 'lucide-react';
import { CopyButton, Icon } from '../../components/index.ts';
import { useShown } from '../../lib/masking.ts';
import { useBeside } from './use-beside.ts';
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
