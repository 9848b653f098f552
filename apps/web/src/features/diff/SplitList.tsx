import { type Difference, wordDiff } from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { useMemo } from 'react';
import { kindOf, layoutJson, plainString } from '../../lib/json.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
import { ChangeList, type DiffListProps, type Shown } from './DiffList.tsx';
import { DiffGroupHead, GLYPHS, PathText } from './DiffRow.tsx';
import { joinedWords, Whole } from './DiffValue.tsx';
import { MadeBy, StepHead } from './MadeBy.tsx';
import { allRows, type ChangeRow, type EqualRow, rankedRows, relative, stepsOf } from './groups.ts';
import './compare.css';

interface SplitListProps extends DiffListProps {
  readonly sides: readonly [string, string];
}

/** Differences with the old side at the left and the new one at the right. */
export function SplitList({ walk, path, onPath, allOf, sides }: SplitListProps) {
  const { items, closed, isUnfolded } = walk;
  const rows = useMemo(
    () => (allOf === undefined ? rankedRows(items, isUnfolded) : allRows(allOf, items, closed).rows),
    [items, closed, isUnfolded, allOf],
  );
  return (
    <>
      <div className="split-row split-head" aria-hidden="true">
        <span>Path</span>
        <span>{sides[0]}</span>
        <span />
        <span>{sides[1]}</span>
        <StepHead />
      </div>
      <ChangeList
        rows={rows}
        walk={walk}
        path={path}
        onPath={onPath}
        label={`Changes from ${sides[0]} to ${sides[1]}`}
        testId="split-list"
        draw={draw}
      />
    </>
  );
}

function draw(row: Shown, focused: boolean) {
  if (row.kind === 'group') return <DiffGroupHead row={row} />;
  if (row.kind === 'change') return <SplitRow row={row} focused={focused} />;
  return row.kind === 'equal' && <SplitEqualRow row={row} focused={focused} />;
}

/** A value that is the same on both sides is between them. */
function SplitEqualRow({ row, focused }: { readonly row: EqualRow; readonly focused: boolean }) {
  const shown = useShown();
  const shownJson = useShownJson();
  return (
    <div className={clsx('split-row equal', focused && 'focused')}>
      <span className="diff-key" title={shown(row.path)}>
        {shown(row.label)}
      </span>
      <span className="split-both">{shownJson(layoutJson(row.text), row.path)}</span>
    </div>
  );
}

function SplitRow({ row, focused }: { readonly row: ChangeRow; readonly focused: boolean }) {
  const { item, label } = row;
  const shown = useShown();
  const path = shown(item.path);
  return (
    <div className={clsx('split-row', item.kind, focused && 'focused')} data-testid="split-row" data-path={path}>
      <span className="diff-key" title={path}>
        <span className="sr-only">{GLYPHS[item.kind].word} </span>
        <PathText text={shown(label)} />
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
      <MadeBy item={item} />
    </div>
  );
}

type SideName = 'before' | 'after';

function Side({ item, side }: { readonly item: Difference; readonly side: SideName }) {
  const text = item[side];
  const shown = useShown();
  if (item.kind === 'moved') {
    const place = side === 'before' ? (item.from ?? '') : item.path;
    return (
      <>
        at <b>{shown(relative(stepsOf(place).slice(-1)))}</b>
        {text !== undefined && (
          <span className="split-moved">
            <Whole text={text} path={place} />
          </span>
        )}
      </>
    );
  }
  if (text === undefined) return <span className="small muted">not there</span>;
  const other = item[side === 'before' ? 'after' : 'before'];
  const words =
    other !== undefined && kindOf(text) === 'string' && kindOf(other) === 'string' && text.length + other.length > 48;
  if (words) return <SideWords before={item.before ?? ''} after={item.after ?? ''} path={item.path} side={side} />;
  const value = <Whole text={text} path={item.path} words={other === undefined} />;
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
  path,
  side,
}: Readonly<Record<SideName | 'path', string>> & { readonly side: SideName }) {
  const shown = useShown();
  const [old, now] = [shown(plainString(before), path), shown(plainString(after), path)];
  const changes = useMemo(() => joinedWords(wordDiff(old, now)), [old, now]);
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
