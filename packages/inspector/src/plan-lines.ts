/** A plan in words, for those who have no page to show it on. */
import { holdWords, stepWords, type PlanItem, type PlanList, type PlanView } from '@checkpoint-inspector/core';

/** One line for each thing worth reading. @example planLines(plan) // ['restore in db, task run-1', 'latest now: cp-3, …'] */
export function planLines(plan: PlanView): string[] {
  const name = (ref: { id: string } | undefined) => ref?.id ?? 'none';
  const { targetTask: to = plan.task } = plan;
  const [into, of] = to === plan.task ? ['', ''] : [`, to task ${to}`, ` of ${to}`];
  return [
    `${plan.request.kind} in ${plan.store}, task ${plan.task}${into}`,
    `latest${of} now: ${name(plan.latestBefore.ref)}, afterwards: ${name(plan.latestAfter)}`,
    ...section('writes', plan.writes),
    ...section('moves', plan.moves),
    ...section('removes', plan.removes),
    ...plan.evicts.items.map(
      (item) => `evicts ${item.ref.id} ${item.when === 'now' ? 'now' : "at the agent's next save"}: ${item.reason}`,
    ),
    ...section('protected', plan.protected),
    ...(plan.leftOut === undefined ? [] : [`not matched by the policy ${plan.leftOut.others}`]),
    ...plan.warnings.map((warning) => `check first: ${warning.message}`),
    ...[holdWords(plan) ?? []].flat(),
  ];
}

function section(title: string, list: PlanList<PlanItem>): string[] {
  if (list.count === 0) return [];
  const more = list.count > list.items.length ? [`  and ${list.count - list.items.length} more`] : [];
  return [`${title} ${list.count}:`, ...list.items.map(itemLine), ...more];
}

/** @example '  cp-7  #07 fetch_revenue  requested' */
function itemLine({ ref, step, reason }: PlanItem): string {
  return `  ${[ref.id, ...(step ? [stepWords(step)] : []), reason].join('  ')}`;
}
