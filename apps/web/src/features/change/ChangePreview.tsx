import { type CheckpointRef, type PlanView, sameRef } from '@checkpoint-inspector/core';
import {
  ArrowRight,
  CircleSlash2,
  History,
  type LucideIcon,
  Plus,
  ShieldCheck,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon, StatusIcon } from '../../components/index.ts';
import { showId } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { DiffBones, DiffPreview } from './DiffPreview.tsx';
import type { Names } from './names.ts';
import { latestAfterText, type PlanLine, planLines } from './sentences.ts';

interface ChangePreviewProps {
  readonly store: string;
  readonly plan: PlanView;
  readonly names: Names;
  readonly latestRule: string;
}

/** The plan as a person reads it: latest now and after, what the task gets back, what is done to the store. */
export function ChangePreview({ store, plan, names, latestRule }: ChangePreviewProps) {
  const before = plan.latestBefore.ref;
  const target = diffTarget(plan);
  return (
    <>
      <MoveLine plan={plan} names={names} latestRule={latestRule} />
      {before !== undefined && target !== undefined && (
        <DiffPreview store={store} from={before} to={target} nameOf={names.nameOf} />
      )}
      <PlanList lines={planLines(plan, names.nameOf, (ref) => names.metaOf(ref)?.description)} />
      {plan.next !== undefined && (
        <p className="change-next">
          <span className="muted">Resumes with</span> <code>{showId(plan.next)}</code>
        </p>
      )}
    </>
  );
}

/** What latest's state is compared with; absent where latest stays the same. */
function diffTarget(plan: PlanView): CheckpointRef | undefined {
  const { latestBefore, latestAfter, request } = plan;
  if (latestAfter === undefined || (latestBefore.ref !== undefined && sameRef(latestBefore.ref, latestAfter)))
    return undefined;
  // What an edit changes is shown already; its checkpoint does not exist yet.
  if (request.kind === 'edit') return undefined;
  if (request.kind === 'restore' || request.kind === 'fork')
    return request.targetTask === undefined ? request.ref : undefined;
  return latestAfter;
}

function MoveLine({ plan, names, latestRule }: Omit<ChangePreviewProps, 'store'>) {
  const shown = useShown();
  const before = plan.latestBefore.ref;
  const meta = before === undefined ? undefined : names.metaOf(before);
  const stays = plan.latestAfter !== undefined && before !== undefined && sameRef(before, plan.latestAfter);
  const elsewhere = plan.targetTask !== undefined && plan.targetTask !== plan.task;
  return (
    <div className="change-move" data-testid="latest-move">
      <Side
        label="Latest now"
        rule={`Rule: ${latestRule}${plan.latestBefore.note === undefined ? '' : `. ${plan.latestBefore.note}`}`}
      >
        {meta === undefined ? <Icon of={CircleSlash2} size={16} /> : <StatusIcon status={meta.status} />}
        {before === undefined
          ? elsewhere
            ? 'none, the task is new'
            : 'none'
          : shown([names.nameOf(before), meta?.description].filter(Boolean).join(' '))}
      </Side>
      <span className="change-arrow">
        <Icon of={ArrowRight} size={16} />
      </span>
      <Side
        label={
          elsewhere
            ? `Latest after, in the ${before ? '' : 'new '}task ${showId(plan.targetTask ?? '')}`
            : 'Latest after'
        }
        rule={afterNote(plan, stays)}
      >
        {stays && meta !== undefined ? <StatusIcon status={meta.status} /> : <Icon of={History} size={16} />}
        {latestAfterText(plan, names.nameOf)}
      </Side>
    </div>
  );
}

function afterNote(plan: PlanView, stays: boolean): string {
  if (plan.latestAfter === undefined) return 'The task will have no checkpoint that can be resumed';
  return stays ? 'By the same rule nothing changes for the agent' : `By the same rule: ${showId(plan.latestAfter.id)}`;
}

function Side({ label, rule, children }: Record<'label' | 'rule', string> & { readonly children: ReactNode }) {
  return (
    <div>
      <p className="change-label">{label}</p>
      <p className="change-big">{children}</p>
      <p className="change-rule" title={rule}>
        {rule}
      </p>
    </div>
  );
}

const ICONS: Record<PlanLine['kind'], LucideIcon> = {
  writes: Plus,
  moves: ArrowRight,
  removes: Trash2,
  evicts: Trash2,
  protected: ShieldCheck,
  warning: TriangleAlert,
};

function PlanList({ lines }: { readonly lines: readonly PlanLine[] }) {
  const shown = useShown();
  return (
    <dl className="change-plan" data-testid="plan-lines">
      {lines.map((line, index) => (
        <div key={`${line.kind} ${index}`} className={line.kind} data-kind={line.kind}>
          {line.key === '' ? <span aria-hidden="true" /> : <Icon of={ICONS[line.kind]} size={16} />}
          <dt>{line.key === '' ? <span className="sr-only">also</span> : line.key}</dt>
          <dd>
            {line.lead !== undefined && <b>{line.lead}</b>}
            {shown(line.text)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const SideBones = ({ big, rule }: Record<'big' | 'rule', number>) => (
  <div>
    <i style={{ width: 68 }} />
    <i className="tall" style={{ width: big }} />
    <i style={{ width: rule }} />
  </div>
);

/** The preview's anatomy without its words: same height, so nothing jumps when it arrives. */
export function PreviewSkeleton({ diff }: { readonly diff: boolean }) {
  return (
    <div className="change-skeleton" aria-hidden="true" data-testid="preview-skeleton">
      <div className="change-move">
        <SideBones big={190} rule={150} />
        <span />
        <SideBones big={170} rule={120} />
      </div>
      {diff && <DiffBones />}
      <div className="change-skeleton-plan">
        <i style={{ width: '72%' }} />
        <i style={{ width: '58%' }} />
      </div>
    </div>
  );
}
