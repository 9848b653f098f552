import type { Difference, DiffSummary } from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { Fragment, memo } from 'react';
import { Icon } from '../../components/index.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { layoutJson } from '../../lib/json.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
import { DiffValue } from './DiffValue.tsx';
import { MadeBy } from './MadeBy.tsx';
import type { EqualRow, GroupRow } from './groups.ts';
import { splitPath } from './ranking.ts';

export const GLYPHS: Record<Difference['kind'], { readonly glyph: string; readonly word: string }> = {
  added: { glyph: '+', word: 'added' },
  removed: { glyph: '−', word: 'removed' },
  changed: { glyph: '~', word: 'changed' },
  moved: { glyph: '↕', word: 'moved' },
  'type-changed': { glyph: '⇄', word: 'type changed' },
};

interface DiffRowProps {
  readonly item: Difference;
  readonly label: string;
  readonly focused: boolean;
  /** In a tree, px. */
  readonly indent?: number;
}

export const DiffRow = memo(function DiffRow({ item, label, focused, indent }: DiffRowProps) {
  const { glyph, word } = GLYPHS[item.kind];
  const shown = useShown();
  const path = shown(item.path);
  return (
    <div
      className={clsx('diff-row', item.kind, focused && 'focused')}
      data-testid="diff-row"
      data-kind={item.kind}
      data-path={path}
    >
      <span className="diff-glyph" aria-hidden="true">
        {glyph}
      </span>
      <span className="diff-key" title={path}>
        <span className={indent === undefined ? undefined : 'diff-indent'} style={{ paddingLeft: indent }}>
          <span className="sr-only">{word} </span>
          {label.includes(' → ') ? <b>{shown(label)}</b> : <PathText text={shown(label)} />}
        </span>
      </span>
      <DiffValue item={item} />
      <MadeBy item={item} />
    </div>
  );
});

/** Where it is in grey, its name strong. A line breaks after a dot or before a place in a list. */
export function PathText({ text }: { readonly text: string }) {
  const [prefix, leaf] = splitPath(text);
  return (
    <>
      {prefix !== '' && <span className="path-prefix">{broken(prefix)}</span>}
      <b className="path-leaf">{broken(leaf)}</b>
    </>
  );
}

const broken = (text: string) =>
  text.split(/(?<=\.)|(?=\[)/).map((part, at) => (
    <Fragment key={at}>
      {part.startsWith('[') && <wbr />}
      {part}
      {part.endsWith('.') && <wbr />}
    </Fragment>
  ));

export function DiffGroupHead({ row, equal }: { readonly row: GroupRow; readonly equal?: number | undefined }) {
  const shown = useShown();
  return (
    <div className="diff-group" data-testid="diff-group" data-open={row.open}>
      <Icon of={row.open ? ChevronDown : ChevronRight} />
      {shown(row.name)}
      <span className="diff-group-count">
        {plural(row.changes, 'change')}
        {equal !== undefined && equal > 0 && `, ${formatCount(equal)} equal`}
      </span>
    </div>
  );
}

export function DiffEqualRow({ row, focused }: { readonly row: EqualRow; readonly focused: boolean }) {
  const shown = useShown();
  const shownJson = useShownJson();
  return (
    <div className={clsx('diff-row equal', focused && 'focused')}>
      <span className="diff-glyph" />
      <span className="diff-key" title={shown(row.path)}>
        {shown(row.label)}
      </span>
      <span className="diff-value">{shownJson(layoutJson(row.text), row.path)}</span>
    </div>
  );
}

/** The kinds that a summary counts. */
export const COUNTED = ['added', 'removed', 'changed', 'moved'] as const;

/** `+2 −1 ~3 ↕1`; kinds without a row are left out. */
export function DiffSum({ summary }: { readonly summary: DiffSummary }) {
  return (
    <span className="diff-sum" data-testid="diff-sum">
      {COUNTED.filter((key) => summary[key] > 0).map((key) => (
        <span key={key} title={`${summary[key]} ${key}`}>
          <i className={key} aria-hidden="true">
            {GLYPHS[key].glyph}
          </i>
          {formatCount(summary[key])}
          <span className="sr-only"> {key} </span>
        </span>
      ))}
    </span>
  );
}
