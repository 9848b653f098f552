import { type CheckpointStatus } from '@checkpoint-inspector/core';
import { STATUS_WORDS, StatusIcon } from '../../../components/index.ts';
import { formatCents, formatCount, formatDuration, plural } from '../../../lib/format.ts';
import { nodeNumber } from '../node-facts.ts';
import type { TreeModel } from '../use-tree.ts';
import { type LaneBook, type LaneInfo, lanePath } from './book.ts';
import { outcomes } from './bundles.ts';
import { LaneName } from './LaneName.tsx';

/** Of a long way, so many lanes are listed at its beginning and its end. */
const HEAD = 3;
const TAIL = 5;

interface LanePanelProps {
  readonly model: TreeModel;
  readonly book: LaneBook;
}

/** The way to the selection, its lane beside main, and all lanes in a line. */
export function LanePanel({ model, book }: LanePanelProps) {
  const node = model.node?.index;
  const path = lanePath(book, node);
  if (book.lanes.length < 2 || node === undefined) return null;
  return (
    <>
      <section>
        <h2>Path from the start</h2>
        <ol className="lane-steps">
          {path.map((ordinal, at) => {
            const hidden = path.length - HEAD - TAIL;
            if (hidden > 1 && at === HEAD) return <li key={ordinal}>{plural(hidden, 'lane')} between</li>;
            if (hidden > 1 && at > HEAD && at < path.length - TAIL) return null;
            const info = book.lanes[ordinal];
            const next = book.lanes[path[at + 1] ?? -1];
            return (
              info && <Leg key={ordinal} info={info} book={book} to={next?.lane.fork ?? node} onSelect={model.select} />
            );
          })}
        </ol>
      </section>
      <AgainstMain book={book} path={path} />
      <section>
        <h2>
          All lanes <span>{formatCount(book.lanes.length)}</span>
        </h2>
        <OutcomeBar lanes={book.lanes} />
        <OutcomeCounts lanes={book.lanes} />
      </section>
    </>
  );
}

interface LegProps {
  readonly info: LaneInfo;
  readonly book: LaneBook;
  readonly to: number;
  readonly onSelect: (node: number) => void;
}

function Leg({ info, book, to, onSelect }: LegProps) {
  const [first] = info.lane.nodes;
  const [from, until] = [nodeNumber(book.tree.nodes[first ?? -1]), nodeNumber(book.tree.nodes[to])];
  return (
    <li>
      <button type="button" onClick={() => onSelect(to)}>
        <span className="data-small">{from === until ? from : `${from}–${until}`}</span>{' '}
        <LaneName info={info} book={book} />
      </button>
    </li>
  );
}

/** Of the lane's own steps; what a store does not report is left out. */
function AgainstMain({ book, path }: { readonly book: LaneBook; readonly path: readonly number[] }) {
  const [main, own] = [book.lanes[0], book.lanes[path.at(-1) ?? 0]];
  if (!main || !own || own === main) return null;
  const facts: readonly (readonly [string, number | undefined, number | undefined, (value: number) => string])[] = [
    ['Steps', own.lane.steps, main.lane.steps, formatCount],
    ['Cost', own.cost, main.cost, (value) => formatCents(value, book.cents)],
    ['Time', own.time, main.time, formatDuration],
  ];
  return (
    <section>
      <h2>Against main</h2>
      <table className="tree-lanes">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">Figure</span>
            </th>
            <th scope="col">This lane</th>
            <th scope="col">main</th>
          </tr>
        </thead>
        <tbody>
          {facts.map(([name, a, b, words]) =>
            a === undefined && b === undefined ? null : (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{a === undefined ? 'not reported' : words(a)}</td>
                <td>{b === undefined ? 'not reported' : words(b)}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}

function OutcomeBar({ lanes }: { readonly lanes: readonly LaneInfo[] }) {
  return (
    <span className="lane-bar" aria-hidden="true">
      {outcomes(lanes).map(([status, count]) => (
        <i key={status} className={status} style={{ flexGrow: count }} />
      ))}
    </span>
  );
}

/** Icon and count of each outcome. */
export function OutcomeCounts({ lanes }: { readonly lanes: readonly LaneInfo[] }) {
  return (
    <span className="lane-counts">
      {outcomes(lanes).map(([status, count]) => (
        <Count key={status} status={status} count={count} />
      ))}
    </span>
  );
}

function Count({ status, count }: { readonly status: CheckpointStatus; readonly count: number }) {
  return (
    <span title={`${formatCount(count)} ${STATUS_WORDS[status].toLowerCase()}`}>
      <StatusIcon status={status} size={14} /> {formatCount(count)}
    </span>
  );
}
