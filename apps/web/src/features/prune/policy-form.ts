/** What a person types into the fields of a policy, and the policy it means. */
import { checkedPolicy, InspectorError, type CheckpointStatus, type RetentionPolicy } from '@checkpoint-inspector/core';

export interface PolicyForm {
  /** As typed; empty: no condition. */
  readonly days: string;
  readonly newest: string;
  readonly status: readonly CheckpointStatus[];
  readonly text: string;
}

export const FIRST_FORM: PolicyForm = { days: '30', newest: '', status: [], text: '' };

export const STATUSES: readonly CheckpointStatus[] = [
  'completed',
  'failed',
  'interrupted',
  'pending',
  'running',
  'unknown',
];

export type FormMeaning =
  | { readonly policy: RetentionPolicy }
  /** Why the fields mean nothing yet. */
  | { readonly reason: string };

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
    return { reason: message === 'The policy names nothing.' ? remedy : message };
  }
}
