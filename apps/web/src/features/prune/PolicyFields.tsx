import { checkedPolicy, type CheckpointStatus, InspectorError, type RetentionPolicy } from '@checkpoint-inspector/core';
import { type ReactNode, useId } from 'react';
import { Checkbox } from '../../components/index.ts';

interface PolicyFieldsProps {
  readonly form: PolicyForm;
  readonly onChange: (form: PolicyForm) => void;
  readonly reason: string | undefined;
  readonly disabled: boolean;
}

export function PolicyFields({ form, onChange, reason, disabled }: PolicyFieldsProps) {
  const set = (part: Partial<PolicyForm>): void => onChange({ ...form, ...part });
  const toggle = (status: CheckpointStatus, on: boolean): void =>
    set({ status: on ? [...form.status, status] : form.status.filter((one) => one !== status) });
  return (
    <fieldset className="prune-fields" disabled={disabled}>
      <legend className="sr-only">Which checkpoints to delete: they must match every condition</legend>
      <Field label="Older than" unit="days" value={form.days} onChange={(days) => set({ days })} testId="older-than" />
      <Field
        label="Keep newest"
        unit="per task"
        value={form.newest}
        onChange={(newest) => set({ newest })}
        testId="beyond-newest"
      />
      <Field label="With text" wide value={form.text} onChange={(text) => set({ text })} testId="with-text" />
      <div className="prune-status" role="group" aria-label="Only with status">
        <span className="change-label">Only with status</span>
        {STATUSES.map((status) => (
          <Checkbox key={status} checked={form.status.includes(status)} onChange={(on) => toggle(status, on)}>
            {status}
          </Checkbox>
        ))}
      </div>
      {reason !== undefined && (
        <p className="prune-reason" role="status">
          {reason}
        </p>
      )}
    </fieldset>
  );
}

interface FieldProps {
  readonly label: string;
  readonly unit?: ReactNode;
  readonly value: string;
  readonly wide?: boolean;
  readonly onChange: (value: string) => void;
  readonly testId: string;
}

function Field({ label, unit, value, wide = false, onChange, testId }: FieldProps) {
  const id = useId();
  return (
    <span className={wide ? 'prune-field wide' : 'prune-field'}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode={wide ? 'text' : 'numeric'}
        value={value}
        placeholder={wide ? 'in id or description' : 'any'}
        autoComplete="off"
        spellCheck={false}
        data-testid={testId}
        onChange={(event) => onChange(event.target.value)}
      />
      {unit !== undefined && <span className="muted">{unit}</span>}
    </span>
  );
}

// What a person types into the fields of a policy, and the policy it means.

export interface PolicyForm {
  /** As typed; empty: no condition. */
  readonly days: string;
  readonly newest: string;
  readonly status: readonly CheckpointStatus[];
  readonly text: string;
}

export const FIRST_FORM: PolicyForm = { days: '30', newest: '', status: [], text: '' };

const STATUSES: readonly CheckpointStatus[] = ['completed', 'failed', 'interrupted', 'pending', 'running', 'unknown'];

type FormMeaning = { readonly policy: RetentionPolicy } | { readonly reason: string };

/** @example policyIn({ ...FIRST_FORM, newest: '10' }) // { policy: { olderThanDays: 30, beyondNewest: 10 } } */
export function policyIn({ days, newest, status, text }: PolicyForm): FormMeaning {
  try {
    const policy = checkedPolicy({
      ...(days.trim() === '' ? {} : { olderThanDays: Number(days) }),
      ...(newest.trim() === '' ? {} : { beyondNewest: Number(newest) }),
      status,
      text,
    });
    return { policy };
  } catch (error) {
    const { message, remedy } = InspectorError.from(error);
    return { reason: message === 'The policy has no conditions.' ? remedy : message };
  }
}
