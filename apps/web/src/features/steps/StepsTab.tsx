import { toggled } from '../../lib/hooks.ts';
import { CircleAlert, CircleCheck, Hand, SkipForward } from 'lucide-react';
import type { TaskStatus } from '@checkpoint-inspector/core';
import { useCallback, useMemo, useState } from 'react';
import {
  Badge,
  Fold,
  Icon,
  LoadingBar,
  Skeleton,
  STATUS_WORDS,
  StatusIcon,
  VirtualList,
} from '../../components/index.ts';
import { formatCount, plural, shownHead } from '../../lib/format.ts';
import { layoutJson } from '../../lib/json.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
import type { Plan, PlanStep, StepStatus } from '../../lib/views.ts';

interface StepsTabProps {
  /** Absent while it is not yet known. */
  readonly plan: Plan | undefined;
  readonly loading: boolean;
  /** Of the checkpoint. */
  readonly status: TaskStatus;
}

export function StepsTab({ plan, loading, status }: StepsTabProps) {
  const shown = useShown();
  const shownJson = useShownJson();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((index: number) => setOpened((before) => toggled(before, index)), []);
  const steps = useMemo(() => plan?.steps ?? [], [plan]);
  return (
    <div className="plan-tab" data-testid="plan-tab" data-state={plan ? 'ready' : 'loading'}>
      <LoadingBar active={loading} />
      {!plan && loading && <Skeleton rows={6} height={36} />}
      {plan && (
        <div className="plan-bar">
          <span className="muted">{planWords(plan)}</span>
        </div>
      )}
      {plan?.error !== undefined && <LastError plan={plan} error={plan.error} status={status} />}
      {plan?.requests.map(({ id, text }, place) => (
        <div key={`${place} ${id}`} className="plan-note waiting" data-testid="plan-request">
          <Icon of={Hand} size={16} />
          <div className="grow">
            <p>
              <b>Waits for an answer</b> <span className="data-small">{shown(id)}</span>
            </p>
            <pre>{shownJson(layoutJson(text, 64))}</pre>
          </div>
        </div>
      ))}
      <VirtualList
        items={steps}
        keyOf={(_, index) => String(index)}
        heightOf={(step) => 36 + 20 * (step.errors.length + Math.min(1, step.details.length))}
        measured
        scrolls
        role="list"
        label="Steps"
        testId="plan-list"
        render={(step, index) => (
          <Step step={step} index={index} open={opened.has(index)} onToggle={() => toggle(index)} />
        )}
      />
    </div>
  );
}

interface LastErrorProps {
  readonly plan: Plan;
  readonly error: string;
  readonly status: TaskStatus;
}

/** Systems keep an error after the step went well: then it is history, not an alarm. */
function LastError({ plan, error, status }: LastErrorProps) {
  const shown = useShown();
  const words = errorWords(plan, status);
  const recovered = words !== 'Last error';
  return (
    <div className={recovered ? 'plan-note recovered' : 'plan-note failed'} data-testid="plan-error">
      <Icon of={recovered ? CircleCheck : CircleAlert} size={16} />
      <p>
        {recovered ? <span>{words}: </span> : <b>{words} </b>}
        {shown(error)}
      </p>
    </div>
  );
}

/** @example errorWords(plan, 'completed') // 'Error from step 2, since recovered' */
export function errorWords(plan: Plan, status: TaskStatus): string {
  if (status === 'failed' || plan.steps.some((step) => step.status === 'failed')) return 'Last error';
  return plan.errorStep === undefined
    ? 'Earlier error, since recovered'
    : `Error from step ${plan.errorStep}, since recovered`;
}

interface StepProps {
  readonly step: PlanStep;
  readonly index: number;
  readonly open: boolean;
  readonly onToggle: () => void;
}

function Step({ step, index, open, onToggle }: StepProps) {
  const shown = useShown();
  const shownJson = useShownJson();
  const cost = [step.duration, step.tokens === undefined ? undefined : `${formatCount(step.tokens)} tokens`];
  return (
    <div className="plan-step" data-testid="plan-step" data-status={step.status}>
      <span className="plan-number">{index + 1}</span>
      <StepState step={step} />
      <div className="plan-what">
        <p className="flex">
          <span className="plan-name">{shown(step.name)}</span>
          {step.isCurrent && <Badge tone="accent">next</Badge>}
        </p>
        {step.errors.map((error, place) => (
          <p key={place} className="plan-step-error">
            <Icon of={CircleAlert} />
            {error.trim() === '' ? <span className="muted">no message is stored</span> : shown(error)}
          </p>
        ))}
        {step.details.length > 0 && <p className="small muted plan-details">{shown(step.details.join(' · '))}</p>}
        {step.output !== undefined && (
          <Fold name="result" preview={shownHead(shownJson, step.output, 200)} open={open} onToggle={onToggle}>
            {open ? shownJson(layoutJson(step.output, 64)) : ''}
          </Fold>
        )}
      </div>
      <span className="plan-cost">{cost.filter((part) => part !== undefined).join(' · ')}</span>
    </div>
  );
}

/** Icon and word; a word of the system that is none of ours is shown as stored. */
function StepState({ step: { status, statusText } }: { readonly step: PlanStep }) {
  const shown = useShown();
  if (status === 'skipped') {
    return (
      <span className="status pending">
        <Icon of={SkipForward} />
        Skipped
      </span>
    );
  }
  if (statusText === undefined) return <StatusIcon status={status} size={14} word />;
  return (
    <span className="flex" title={STATUS_WORDS.unknown}>
      <StatusIcon status="unknown" size={14} />
      <span className="cut">{shown(statusText)}</span>
    </span>
  );
}

const count = ({ steps }: Plan, status: StepStatus): number => steps.filter((step) => step.status === status).length;

/** @example planWords(plan) // '2 of 4 steps completed, 1 failed' */
export function planWords(plan: Plan): string {
  const parts = [
    plan.steps.length === 0
      ? undefined
      : `${formatCount(count(plan, 'completed'))} of ${plural(plan.steps.length, 'step')} completed`,
    ...(['failed', 'running', 'skipped'] as const).map((status) =>
      count(plan, status) === 0 ? undefined : `${formatCount(count(plan, status))} ${status}`,
    ),
    plan.requests.length === 0 ? undefined : plural(plan.requests.length, 'open request'),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** For the tab. @example planCount(plan) // '2/4' */
export const planCount = (plan: Plan): string | undefined =>
  plan.steps.length === 0 ? undefined : `${formatCount(count(plan, 'completed'))}/${formatCount(plan.steps.length)}`;
