/** Why a side of a comparison failed: its error in full, and the first suspect. */
import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { Link } from '@tanstack/react-router';
import { CircleAlert } from 'lucide-react';
import { CopyButton, Icon } from '../../components/index.ts';
import { taskPage } from '../../lib/address.ts';
import { useShown } from '../../lib/masking.ts';
import { useDiagnosis } from '../answer/use-diagnosis.ts';
import { numberOf, pathWords, quotedName } from '../answer/words.ts';
import { SuspectChange } from '../answer/Suspects.tsx';
import { useBeside } from '../beside/use-beside.ts';
import { PathText } from '../diff/DiffRow.tsx';

export function WhyFailed({ meta }: { readonly meta: CheckpointMeta }) {
  const failed = meta.status === 'failed' ? meta : undefined;
  const { data } = useDiagnosis(failed);
  const beside = useBeside(failed);
  const shown = useShown();
  if (failed === undefined) return null;
  const told = beside?.errors?.filter(({ text }) => text.trim() !== '') ?? [];
  const errors: readonly { readonly text: string; readonly node?: string | undefined }[] =
    told.length > 0 ? told : data?.error && data.error.unsaid !== true ? [{ text: data.error.message }] : [];
  const suspect = data?.outcome === 'suspects' ? data.suspects[0] : undefined;
  return (
    <div className="why-failed" role="group" aria-label="Why it failed" tabIndex={0} data-testid="error-note">
      <Icon of={CircleAlert} size={16} />
      <div className="why-failed-texts">
        {errors.map(({ node, text }, index) => (
          <p key={index} className="why-failed-error">
            {node !== undefined && <b>{shown(quotedName(node))} failed. </b>}
            {shown(text)}
          </p>
        ))}
        {errors.length === 0 && (
          <p className="muted">{data === undefined ? 'Reading what went wrong' : 'No message was stored.'}</p>
        )}
        <p className="small why-failed-cause">
          {suspect ? (
            <>
              Likely cause{' '}
              <Link
                className="link"
                {...taskPage(meta.store, suspect.ref.task)}
                search={{ cp: suspect.ref.id, ns: suspect.ref.namespace, view: 'changes', path: suspect.path }}
              >
                {numberOf(suspect)}
              </Link>{' '}
              <PathText text={shown(pathWords(suspect.path))} /> <SuspectChange suspect={suspect} />
            </>
          ) : (
            '\u00a0'
          )}
        </p>
      </div>
      {errors.length > 0 && <CopyButton text={errors.map(({ text }) => text).join('\n')} label="Copy error" />}
    </div>
  );
}
