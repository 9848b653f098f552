import type { LaneDifference } from '@checkpoint-inspector/core';
import { plural } from '../../../lib/format.ts';
import { type Shown, useShown } from '../../../lib/masking.ts';
import { nodeNumber } from '../node-facts.ts';
import type { LaneBook, LaneInfo } from './book.ts';
import { useOnScreen } from './use-lane-book.ts';
import type { BundleLine } from './rows.ts';

interface NameProps {
  readonly info: LaneInfo;
  readonly book: LaneBook;
  /** Values that the groups around it have said already. */
  readonly said?: readonly string[];
}

/** A lane by what differs: the key quiet, the value strong and never cut before it. */
export function LaneName({ info, book, said = [] }: NameProps) {
  const shown = useShown();
  const { lane } = info;
  const parts = nameParts(info, said);
  useOnScreen(book, [info]);
  if (lane.ordinal === 0) return <Main book={book} />;
  if (parts.length > 0) return <Parts parts={parts} shown={shown} />;
  const from = lane.fork === undefined ? undefined : nodeNumber(book.tree.nodes[lane.fork]);
  return (
    <span className="lane-name cut">
      <b>{lane.label}</b> <span className="muted">{from === undefined ? 'begins here' : `from ${from}`}</span>
    </span>
  );
}

/** Beside its name what most of its forks changed. */
function Main({ book }: { readonly book: LaneBook }) {
  const shown = useShown();
  const { against } = book;
  return (
    <span className="lane-name cut">
      <b>main</b>
      {against?.before !== undefined && (
        <span className="muted">
          {' '}
          {shown(against.key)}: {shown(against.before)}
        </span>
      )}
    </span>
  );
}

export function nameParts({ differences, nameLength }: LaneInfo, said: readonly string[]): readonly LaneDifference[] {
  const left = differences.filter(({ path }) => !said.includes(path));
  // Two lines have room for two.
  return left.slice(0, Math.min(2, said.length > 0 ? 1 : nameLength));
}

function Parts({ parts, shown }: { readonly parts: readonly LaneDifference[]; readonly shown: Shown }) {
  const words = parts.map(({ key, value = 'absent' }) => `${shown(key)}: ${shown(value)}`).join(', ');
  return (
    <span className={parts.length > 1 ? 'lane-name parts' : 'lane-name cut'} title={words}>
      {parts.map(({ path, key, value = 'absent' }) => (
        <span key={path} className="cut">
          <span className="lane-key">{shown(key)}:</span> <b>{shown(value)}</b>
        </span>
      ))}
    </span>
  );
}

/** @example '12 lanes of 4 steps', 'prompt: two-pass' */
export function BundleName({ row }: { readonly row: BundleLine }) {
  const shown = useShown();
  const { lanes, path, name, value, more } = row.bundle;
  const count = lanes.reduce((sum, info) => sum + info.count, 0);
  if (path !== undefined) {
    return (
      <span className="lane-name two cut">
        <span className="cut">
          <span className="lane-key">{shown(name ?? '')}:</span> <b>{shown(value ?? '')}</b>
        </span>
        <small className="muted">{plural(count, 'lane')}</small>
      </span>
    );
  }
  const [first] = lanes;
  const steps = more || first === undefined ? '' : ` of ${plural(first.lane.steps, 'step')}`;
  return (
    <span className="lane-name cut">
      <b>
        {more ? plural(count, 'more lane') : plural(count, 'lane')}
        {steps}
      </b>{' '}
      {name !== undefined && <span className="lane-key">by {shown(name)}</span>}
    </span>
  );
}
