import type { Receipt } from '@checkpoint-inspector/core';
import { useMemo } from 'react';
import { Pairs } from '../../components/index.ts';
import { formatTime, plural } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { useStoreLabel } from '../../lib/queries.ts';
import { useNames } from '../change/names.ts';
import { actOf } from '../change/proof.ts';
import { namedRefs, TaskLink, Written } from './ReceiptRow.tsx';
import { proofWords, undoOf, whyOf } from './receipt-words.ts';

/** More lines than these are counted. */
const MOST_LINES = 200;

/** One change in full, and what the words of a row mean. */
export function ActivityAside({ receipt }: { readonly receipt: Receipt | undefined }) {
  return (
    <aside className="activity-aside" aria-label="The selected change">
      {receipt && <Detail key={receipt.id} receipt={receipt} />}
      <Legend />
      {receipt && <Done receipt={receipt} />}
    </aside>
  );
}

function Detail({ receipt }: { readonly receipt: Receipt }) {
  const shown = useShown();
  const { latestNow } = receipt;
  const refs = useMemo(
    () => [...namedRefs(receipt), ...(latestNow.ref === undefined ? [] : [latestNow.ref])],
    [receipt, latestNow.ref],
  );
  const { nameOf } = useNames(receipt.store, refs, receipt);
  const way = undoOf(receipt);
  const why = whyOf(receipt);
  const removed = receipt.removed.length;
  return (
    <section data-testid="receipt-detail">
      <h2>{shown(actOf(receipt, nameOf))}</h2>
      <Pairs
        facts={[
          ['Task', <TaskLink key="task" store={receipt.store} task={receipt.task} />],
          ['Store', useStoreLabel(receipt.store)],
          ['Applied', formatTime(receipt.appliedAt)],
          ['Why', why && shown(why)],
          ['Read back', proofWords(receipt) ?? 'nothing to read back'],
          ['Latest then', latestNow.ref && shown(nameOf(latestNow.ref))],
          ['In the trash', removed === 0 || receipt.undoneBy !== undefined ? undefined : plural(removed, 'checkpoint')],
          ['Undo', way.kind === 'possible' ? 'possible' : way.reason],
          ['Resume with', receipt.next && shown(receipt.next), 'data'],
        ]}
      />
      <Written receipt={receipt} nameOf={nameOf} />
    </section>
  );
}

/** Line by line; of a large change that is long, so it comes last. */
function Done({ receipt }: { readonly receipt: Receipt }) {
  if (receipt.done.length + receipt.failed.length === 0) return null;
  return (
    <section>
      <Lines title="Failed" lines={receipt.failed.map(({ what, reason }) => `${what}: ${reason}`)} />
      <Lines title="Done" lines={receipt.done} />
    </section>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  const shown = useShown();
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="activity-lines">
        {lines.slice(0, MOST_LINES).map((line, index) => (
          <li key={`${index} ${line}`}>{shown(line)}</li>
        ))}
      </ul>
      {lines.length > MOST_LINES && <p className="muted">{plural(lines.length - MOST_LINES, 'more', 'more')}</p>}
    </>
  );
}

const MEANINGS = [
  ['Read back', 'After a change the store is read again. ✓ says that it has exactly what the plan promised.'],
  [
    'Undo',
    'Takes one click while nothing newer depends on the change; else the row says why not. It can be undone, too.',
  ],
  ['Trash', 'Checkpoints that a change removes are kept there, byte for byte.'],
] as const;

function Legend() {
  return (
    <section>
      <h3>What a row says</h3>
      <Pairs facts={MEANINGS} />
    </section>
  );
}
