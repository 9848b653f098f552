/** Why a side of a comparison failed, in the store's words. */
import { type CheckpointMeta, kindWords, NO_MESSAGE } from '@checkpoint-inspector/core';
import { CircleAlert } from 'lucide-react';
import { CopyButton, Icon } from '../../components/index.ts';
import { useShown } from '../../lib/masking.ts';
import { useExplanation } from '../answer/use-explanation.ts';
import { useBeside } from '../beside/use-beside.ts';

export function WhyFailed({ meta }: { readonly meta: CheckpointMeta }) {
  const failed = meta.status === 'failed' ? meta : undefined;
  const { data } = useExplanation(failed);
  const beside = useBeside(failed);
  const shown = useShown();
  if (failed === undefined) return null;
  const told = beside?.errors?.filter(({ text }) => text.trim() !== '') ?? [];
  const errors: readonly { readonly text: string; readonly node?: string | undefined }[] =
    told.length > 0 ? told : data?.error && data.error.unsaid !== true ? [{ text: data.error.message }] : [];
  const kind = data && kindWords(data);
  return (
    <div className="why-failed" role="group" aria-label="Why it failed" tabIndex={0} data-testid="error-note">
      <Icon of={CircleAlert} size={16} />
      <div className="why-failed-texts">
        {errors.map(({ node, text }, index) => (
          <p key={index} className="why-failed-error" dir="auto">
            {node !== undefined && <b>{shown(node)} failed. </b>}
            {shown(text)}
          </p>
        ))}
        {errors.length === 0 && <p className="muted">{data === undefined ? 'Reading what went wrong' : NO_MESSAGE}</p>}
        <p className="small muted">{kind === undefined ? '\u00a0' : shown(kind)}</p>
      </div>
      {errors.length > 0 && <CopyButton text={errors.map(({ text }) => text).join('\n')} label="Copy error" />}
    </div>
  );
}
