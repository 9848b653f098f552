import { COUNTED, GLYPHS } from '../diff/DiffRow.tsx';
import { rankedOrder } from '../diff/ranking.ts';
import type { CheckpointRef, Difference, DiffSummary } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Icon } from '../../components/index.ts';
import { toAddress } from '../../lib/address.ts';
import { formatCount, shownHead } from '../../lib/format.ts';
import { type Shown, useShown, useShownJson } from '../../lib/masking.ts';
import { diffQuery } from '../../lib/queries.ts';
import type { NameOf } from './sentences.ts';

interface DiffPreviewProps {
  readonly store: string;
  readonly from: CheckpointRef;
  readonly to: CheckpointRef;
  readonly nameOf: NameOf;
}

const FIRST_ROWS = 5;
/** More than this belongs on the compare screen. */
const MOST_ROWS = 200;

/** The difference from latest's state to the state that comes back: counts and the first rows. */
export function DiffPreview({ store, from, to, nameOf }: DiffPreviewProps) {
  const [all, setAll] = useState(false);
  const shownText = useShown();
  const { data, error, isPending } = useQuery(diffQuery(toAddress(store, from), toAddress(store, to)));
  const items = data ? rankedOrder(data.items) : [];
  const shown = items.slice(0, all ? MOST_ROWS : FIRST_ROWS);
  const rest = items.length - shown.length;
  return (
    <section className="change-diff" aria-label="What the task gets back" data-testid="diff-preview">
      <header>
        <h3>What the task gets back</h3>
        <span className="muted">
          {nameOf(from)} → {nameOf(to)}
        </span>
        {data && <Summary summary={data.summary} />}
      </header>
      {isPending && <DiffBones />}
      {error && <p className="change-diff-note">The states could not be compared: {shownText(error.message)}</p>}
      {data?.items.length === 0 && (
        <p className="change-diff-note">Both states are equal{ignoredText(data.ignored)}.</p>
      )}
      {shown.length > 0 && <DifferenceRows items={shown} />}
      {rest > 0 && (
        <button type="button" className="change-more" aria-expanded={all} onClick={() => setAll(true)} disabled={all}>
          <Icon of={all ? ChevronDown : ChevronRight} />
          <span>
            {all
              ? `${rest} more: compare the two to see them`
              : `${rest} more: ${restNames(items.slice(FIRST_ROWS), shownText)}`}
          </span>
        </button>
      )}
    </section>
  );
}

export const DifferenceRows = ({ items }: { readonly items: readonly Difference[] }) => (
  <div className="change-rows" role="list">
    {items.map((item, index) => (
      <Row key={`${item.path} ${index}`} item={item} />
    ))}
  </div>
);

export const DiffBones = () => (
  <div className="change-skeleton-diff" aria-hidden="true">
    {[62, 48, 70, 40, 56].map((width) => (
      <i key={width} style={{ width: `${width}%` }} />
    ))}
  </div>
);

const ignoredText = (ignored: readonly { readonly count: number }[]): string => {
  const count = ignored.reduce((sum, rule) => sum + rule.count, 0);
  return count === 0 ? '' : `, but for ${formatCount(count)} ignored`;
};

const restNames = (items: readonly Difference[], shown: Shown): string => {
  const names = items.slice(0, 5).map((item) => shown(shortPath(item.path)));
  return items.length > names.length ? `${names.join(', ')}, …` : names.join(', ');
};

const shortPath = (path: string): string => path.replace(/^\$\.?/, '') || '$';

function Summary({ summary }: { readonly summary: DiffSummary }) {
  return (
    <span className="change-sum" data-testid="diff-summary">
      {COUNTED.map((kind) => (
        <span key={kind} title={`${formatCount(summary[kind])} ${kind}`}>
          <i className={kind}>{GLYPHS[kind].glyph}</i>
          {formatCount(summary[kind])}
        </span>
      ))}
    </span>
  );
}

function Row({ item }: { readonly item: Difference }) {
  const { glyph, word } = GLYPHS[item.kind];
  const tone = item.kind === 'type-changed' ? 'changed' : item.kind;
  const shown = useShown();
  return (
    <div className={`change-row ${tone}`} role="listitem">
      <span className="change-glyph" aria-hidden="true">
        {glyph}
      </span>
      <span className="change-path" title={shown(item.path)}>
        <span className="sr-only">{word} </span>
        {shown(shortPath(item.path))}
      </span>
      <Value item={item} />
    </div>
  );
}

function Value({ item }: { readonly item: Difference }) {
  const { before, after, from, kind } = item;
  const shown = useShown();
  const shownJson = useShownJson();
  if (kind === 'moved') {
    return (
      <span className="change-value">
        {shown(shortPath(from ?? ''))} <em>→</em> <b>{shown(shortPath(item.path))}</b>
      </span>
    );
  }
  return (
    <span className="change-value">
      {before !== undefined && (
        <span className={after === undefined ? 'gone' : 'old'} title={shownHead(shownJson, before, 2000, item.path)}>
          {shownHead(shownJson, before, 90, item.path)}
        </span>
      )}
      {before !== undefined && after !== undefined && <em>→</em>}
      {after !== undefined && (
        <b className={before === undefined ? 'fresh' : undefined} title={shownHead(shownJson, after, 2000, item.path)}>
          {shownHead(shownJson, after, 90, item.path)}
        </b>
      )}
    </span>
  );
}
