/** What happened after the failure: the run and its forks as a drawing, and what was done about it in words. */
import { forkTree, laneTitle, lanesOf, type ForkTree, type LineageRow } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, Explanation } from '@checkpoint-inspector/core';
import { readLanes, type LaneFacts } from '../stores/lanes.ts';
import { runPicture } from './run-picture.ts';
import { numberOf, type Context } from './sections.ts';
import type { Subject } from './types.ts';

/** Above this, lanes are called by their number: comparing them all would take longer than the rest of the report. */
const MOST_NAMED = 100;
const MOST_DONE = 6;

export async function runOf(
  context: Context,
  subject: Subject,
  found: Explanation,
  lineage: readonly LineageRow[],
): Promise<string> {
  const tree = forkTree(subject.task.id, lineage);
  const named = lanesOf(tree).lanes.length <= MOST_NAMED;
  const facts = named ? (await readLanes(subject.source, subject.task.id)).items : [];
  const labels = new Map(facts.map((one) => [one.lane, one]));
  const numberAt = (node: number): string => {
    const row = tree.nodes[node]?.row;
    return row ? numberOf(row) : '';
  };
  const picture = runPicture(tree, {
    nameOf: (lane) => {
      const fact = labels.get(lane.label);
      const title =
        fact && lane.ordinal > 0
          ? laneTitle(fact, lane.fork === undefined ? undefined : numberAt(lane.fork))
          : lane.label;
      return context.masker.text(title);
    },
    numberOf: numberAt,
    lastGood: goodNodeOf(tree, found),
  });
  const title = lanesOf(tree).lanes.length > 1 ? 'The run and its forks' : 'The run';
  return `${picture === '' ? '' : `<h3>${title}</h3>${picture}`}${doneOf(context, subject, found, facts)}`;
}

/** The node of the last good checkpoint. */
function goodNodeOf(tree: ForkTree, { lastGood }: Explanation): number | undefined {
  const node = tree.nodes.find(({ ref }) => ref.id === lastGood?.id && ref.namespace === lastGood.namespace);
  return node?.index;
}

/** Forks that began after the failure, oldest first. */
function doneOf(
  context: Context,
  { metas }: Subject,
  { failingStep }: Explanation,
  facts: readonly LaneFacts[],
): string {
  const known = new Map(metas.map((meta) => [`${meta.namespace ?? ''} ${meta.id}`, meta]));
  const metaOf = (ref: CheckpointRef | undefined): CheckpointMeta | undefined =>
    ref && known.get(`${ref.namespace ?? ''} ${ref.id}`);
  const items = facts.flatMap((lane) => {
    const first = metaOf(lane.first);
    const from = metaOf(lane.from);
    return first && from && first.seq > (failingStep?.seq ?? 0) ? [doneItem(context, lane, first, from)] : [];
  });
  if (items.length === 0) return '';
  const more = items.length > MOST_DONE ? `<p class="muted">And ${items.length - MOST_DONE} more.</p>` : '';
  return `<h3>What was done about it</h3><ul class="done-list">${items.slice(0, MOST_DONE).join('')}</ul>${more}`;
}

function doneItem({ show, time }: Context, lane: LaneFacts, first: CheckpointMeta, from: CheckpointMeta): string {
  const changes = (lane.differences ?? []).slice(0, 2).map(({ path, before = 'absent', value = 'absent' }) => {
    const short = path.replace(/^\$\.(?=.)/, '');
    return `<code>${show(short)}</code> ${show(before)} → <b>${show(value)}</b>`;
  });
  const steps = `${lane.steps} ${lane.steps === 1 ? 'step' : 'steps'}`;
  const how = changes.length === 0 ? '' : `, with ${changes.join(' and ')}`;
  const when = time(first);
  return `<li>${when === '' ? '' : `<span class="muted">${show(when)}</span> `}<b>Forked from ${show(numberOf(from))}</b>${how}: ${steps}, ${lane.status}.</li>`;
}
