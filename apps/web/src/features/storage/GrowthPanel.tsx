import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, QueryError, Skeleton } from '../../components/index.ts';
import type { Growth } from '../../lib/api.ts';
import type { TaskPlace } from '../../lib/address.ts';
import { formatSize, plural } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { growthQuery } from '../../lib/queries.ts';
import { caveatsOf, keepingWords, shareWords, storedWords } from './growth-words.ts';
import './growth.css';

/** Entries that are listed at first: they have nearly all the bytes. */
const FIRST = 8;
const WIDTH = 240;

interface GrowthPanelProps {
  readonly id: string;
  readonly place: TaskPlace;
  readonly name: string;
  readonly onTidy: () => void;
  /** Why nothing of it can be deleted. */
  readonly block: string | undefined;
}

/** Below a task: what in its states takes the space, and what pruning would free. */
export function GrowthPanel({ id, place, name, onTidy, block }: GrowthPanelProps) {
  const query = useQuery(growthQuery(place.store, place.task));
  return (
    <section id={id} className="growth" aria-label={`What takes the space in ${name}`} data-testid="growth">
      <QueryError query={query} title="The states could not be read." />
      {query.isPending && <Skeleton rows={4} height={28} />}
      {query.data && (
        <>
          <Entries growth={query.data} />
          <Keeping growth={query.data} onTidy={onTidy} block={block} />
        </>
      )}
    </section>
  );
}

function Entries({ growth }: { readonly growth: Growth }) {
  const [all, setAll] = useState(false);
  const shown = useShown();
  const { states, sharing } = growth;
  const { entries, bytes } = states;
  const listed = all ? entries : entries.slice(0, FIRST);
  const most = entries[0]?.bytes ?? 0;
  if (entries.length === 0) {
    const why =
      states.checkpoints === 0 ? 'None of its states could be read.' : 'Its states are not objects with entries.';
    return <p className="muted">{why}</p>;
  }
  return (
    <div>
      <table className="growth-table">
        <caption className="label">
          {plural(states.checkpoints, 'state')}, {formatSize(bytes)}
          {states.repeatedBytes > 0 &&
            `, of which ${formatSize(states.repeatedBytes)} (shown fainter) repeats earlier values`}
        </caption>
        <colgroup>
          <col className="growth-key" />
          <col />
          <col className="growth-part" />
          <col className="growth-words" />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">Entry</th>
            <th scope="col">Size</th>
            <th scope="col">Share</th>
            <th scope="col">How often</th>
          </tr>
        </thead>
        <tbody>
          {listed.map((entry, at) => (
            <tr key={`${at} ${entry.key}`} data-entry={entry.key}>
              <th scope="row" className="data-small cut" title={shown(entry.key)}>
                {entry.key === '' ? '(empty name)' : shown(entry.key)}
              </th>
              <td className="growth-size">
                <div className="growth-use">
                  <EntryBar bytes={entry.bytes} repeated={entry.repeatedBytes} most={most} />
                  <span className="use-size">{formatSize(entry.bytes)}</span>
                </div>
              </td>
              <td className="growth-share">{shareWords(entry.bytes, bytes)}</td>
              <td className="growth-often">
                {storedWords(entry, sharing !== undefined)}
                <span className="muted">, largest {formatSize(entry.largest)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {entries.length > FIRST && (
        <Button size="sm" variant="ghost" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${entries.length}`}
        </Button>
      )}
    </div>
  );
}

interface EntryBarProps {
  readonly bytes: number;
  readonly repeated: number;
  readonly most: number;
}

/** Its length is the size; the fainter part repeats earlier values. */
function EntryBar({ bytes, repeated, most }: EntryBarProps) {
  const at = (part: number): number => (most === 0 ? 0 : (part / most) * WIDTH);
  return (
    <svg className="use-bar" viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
      <rect className="growth-again" width={at(bytes)} height="8" />
      <rect className="use-part" width={at(bytes - repeated)} height="8" />
    </svg>
  );
}

function Keeping({ growth, onTidy, block }: Pick<GrowthPanelProps, 'onTidy' | 'block'> & { readonly growth: Growth }) {
  const words = keepingWords(growth);
  return (
    <div className="growth-side">
      {words.length === 0 ? (
        <p>There is only one checkpoint, so there is nothing to tidy up.</p>
      ) : (
        <>
          {words.map((line) => (
            <p key={line}>{line}</p>
          ))}
          <Button size="sm" onClick={onTidy} disabledReason={block}>
            Tidy up…
          </Button>
        </>
      )}
      {caveatsOf(growth).map((line) => (
        <p key={line} className="small muted">
          {line}
        </p>
      ))}
    </div>
  );
}
