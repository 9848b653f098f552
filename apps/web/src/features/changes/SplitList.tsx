import { wordDiff, type Difference } from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { Eye } from 'lucide-react';
import { useMemo, useState } from 'react';
import { EmptyState, Icon, VirtualList } from '../../components/index.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { kindOf, plainString } from '../../lib/json.ts';
import { useKeys } from '../../lib/keys.ts';
import type { DiffAnswer } from '../../lib/wire.ts';
import { DiffGroupHead, GLYPHS } from './DiffRow.tsx';
import { showRest, Whole } from './DiffValue.tsx';
import { joinedWords } from './words.ts';
import { changeRows, matchesFilter, relative, stepsOf, type ChangeRow, type GroupRow } from './groups.ts';

interface SplitListProps {
  readonly diff: DiffAnswer;
  readonly filter: string;
  readonly path: string | undefined;
  readonly onPath: (path: string) => void;
}

/** Differences with A at the left and B at the right. */
export function SplitList({ diff, filter, path, onPath }: SplitListProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const items = useMemo(
    () => (filter === '' ? diff.items : diff.items.filter((item) => matchesFilter(item, filter))),
    [diff, filter],
  );
  // Without "all values" there are only heads and changes.
  const rows = useMemo(
    () => changeRows(items, closed).filter((row): row is GroupRow | ChangeRow => row.kind !== 'equal'),
    [items, closed],
  );
  const active = path === undefined ? -1 : rows.findIndex((row) => row.kind === 'change' && row.item.path === path);
  const step = (by: 1 | -1): void => {
    for (let index = active + by; index >= 0 && index < rows.length; index += by) {
      const row = rows[index];
      if (row?.kind === 'change') return onPath(row.item.path);
    }
  };
  useKeys({ n: () => step(1), N: () => step(-1), j: () => step(1), k: () => step(-1) });
  const toggle = (name: string): void =>
    setClosed((before) =>
      before.has(name) ? new Set([...before].filter((other) => other !== name)) : new Set([...before, name]),
    );
  const hidden = diff.ignored.reduce((sum, rule) => sum + rule.count, 0);
  if (diff.items.length === 0) {
    return (
      <EmptyState>
        {hidden > 0
          ? `Only ignored values differ: ${formatCount(hidden)}.`
          : `Both states are equal: ${plural(diff.equal, 'value')}.`}
      </EmptyState>
    );
  }
  return (
    <>
      <div className="split-row split-head" aria-hidden="true">
        <span>Path</span>
        <span>A</span>
        <span />
        <span>B</span>
      </div>
      <VirtualList
        items={rows}
        keyOf={(row) =>
          row.kind === 'group' ? `group ${row.name}` : `${row.item.kind} ${row.item.path} ${row.item.from ?? ''}`
        }
        heightOf={() => 28}
        measured
        label="Changes from A to B"
        active={active}
        isRow={(row) => row.kind === 'change'}
        onActive={(index) => {
          const row = rows[index];
          if (row?.kind === 'change') onPath(row.item.path);
        }}
        onKey={showRest}
        testId="split-list"
        render={(row, index) => (
          // The list has the keys; the mouse needs the row itself.
          <div role="presentation" onClick={() => (row.kind === 'group' ? toggle(row.name) : onPath(row.item.path))}>
            {row.kind === 'group' ? <DiffGroupHead row={row} /> : <SplitRow row={row} focused={index === active} />}
          </div>
        )}
      />
      <p className="split-foot">
        <Icon of={Eye} />
        {plural(diff.equal, 'value')} equal
        {hidden > 0 &&
          `, ${formatCount(hidden)} ignored by ${plural(diff.ignored.filter((rule) => rule.count > 0).length, 'rule')}`}
      </p>
    </>
  );
}

function SplitRow({ row, focused }: { readonly row: ChangeRow; readonly focused: boolean }) {
  const { item, label } = row;
  return (
    <div className={clsx('split-row', item.kind, focused && 'focused')} data-testid="split-row" data-path={item.path}>
      <span className="diff-key" title={item.path}>
        <span className="sr-only">{GLYPHS[item.kind].word} </span>
        {item.kind === 'moved' ? relative(stepsOf(item.path).slice(1)) : label}
      </span>
      <span className={clsx('split-side', item.kind === 'added' && 'absent')}>
        <Side item={item} side="before" />
      </span>
      <span className="split-glyph" aria-hidden="true">
        {GLYPHS[item.kind].glyph}
      </span>
      <span className={clsx('split-side', item.kind === 'removed' && 'absent')}>
        <Side item={item} side="after" />
      </span>
    </div>
  );
}

function Side({ item, side }: { readonly item: Difference; readonly side: 'before' | 'after' }) {
  const text = item[side];
  if (item.kind === 'moved') {
    const place = side === 'before' ? (item.from ?? '') : item.path;
    return (
      <>
        at <b>{relative(stepsOf(place).slice(-1))}</b>
      </>
    );
  }
  if (text === undefined) return <span className="small muted">not there</span>;
  const other = item[side === 'before' ? 'after' : 'before'];
  const words =
    other !== undefined && kindOf(text) === 'string' && kindOf(other) === 'string' && text.length + other.length > 48;
  if (words) return <SideWords before={item.before ?? ''} after={item.after ?? ''} side={side} />;
  const value = <Whole text={text} />;
  if (item.kind === 'removed') return <span className="diff-gone">{value}</span>;
  return (
    <>
      {side === 'after' && item.kind !== 'added' ? <b>{value}</b> : value}
      {item.kind === 'type-changed' && <span className="type-tag">{kindOf(text)}</span>}
    </>
  );
}

/** One side of a word diff: only what it has of its own is marked. */
function SideWords({
  before,
  after,
  side,
}: {
  readonly before: string;
  readonly after: string;
  readonly side: 'before' | 'after';
}) {
  const changes = useMemo(() => joinedWords(wordDiff(plainString(before), plainString(after))), [before, after]);
  const own = side === 'before' ? 'removed' : 'added';
  return (
    <span className="diff-words">
      “
      {changes.map((change, index) => {
        const key = `${index} ${change.kind}`;
        if (change.kind === 'same') return <span key={key}>{change.text}</span>;
        if (change.kind !== own) return null;
        return own === 'added' ? <ins key={key}>{change.text}</ins> : <del key={key}>{change.text}</del>;
      })}
      ”
    </span>
  );
}
