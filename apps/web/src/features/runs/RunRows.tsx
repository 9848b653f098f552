import { formatAddress, noDifference, sameRows } from '@checkpoint-inspector/core';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { ChevronDown, ChevronRight, Columns2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, Icon, StatusIcon } from '../../components/index.ts';
import { checkpointPage, toAddress } from '../../lib/address.ts';
import type { RunComparison, RunRow, RunStep, SentDifference } from '../../lib/api.ts';
import { plural, previewJson, stepNumber, usedText } from '../../lib/format.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
import { GLYPHS, PathText } from '../diff/DiffRow.tsx';
import { verdictOf } from './words.ts';

/** Rows that are drawn at once. */
const PAGE = 100;
const VALUE = 60;

interface RowsProps {
  readonly found: RunComparison;
  /** The equal rows before the first difference are shown. */
  readonly open: boolean;
  readonly onToggle: () => void;
}

export function RunRows({ found, open, onToggle }: RowsProps) {
  const [drawn, setDrawn] = useState(PAGE);
  const same = sameRows(found.rows);
  const rows = found.rows.slice(same);
  return (
    <section className="run-rows" aria-label="Steps" data-testid="run-rows">
      {same > 0 && <SameRows found={found} count={same} open={open} onToggle={onToggle} />}
      {found.first === undefined && (
        <p className="run-note">
          {noDifference(found.rows, `Nothing differs in the ${plural(same, 'step')} of these runs.`)}
        </p>
      )}
      {rows.slice(0, drawn).map((row, at) => (
        <Row key={rowKey(row)} row={row} found={found} isFirst={found.first?.row === same + at} />
      ))}
      {rows.length > drawn && (
        <p className="run-note">
          <Button onClick={() => setDrawn(drawn + PAGE)}>
            Show {plural(Math.min(PAGE, rows.length - drawn), 'more row')}
          </Button>
        </p>
      )}
      {found.after > 0 && (
        <p className="run-note muted">{plural(found.after, 'later row')} are left out. Compare the ends above.</p>
      )}
    </section>
  );
}

const rowKey = ({ a, b }: RunRow): string => JSON.stringify([a?.ref, b?.ref]);

interface SameProps extends RowsProps {
  readonly count: number;
}

/** Equal steps are one row until it is opened. */
function SameRows({ found, count, open, onToggle }: SameProps) {
  const rows = found.rows.slice(0, count);
  const [first, last] = [rows[0]?.a, rows.at(-1)?.a];
  const all = found.before + count;
  return (
    <>
      <button type="button" className="run-same" aria-expanded={open} onClick={onToggle} data-testid="run-same">
        <Icon of={open ? ChevronDown : ChevronRight} />
        <span className="data strong">
          {first && found.before === 0 ? stepNumber(first) : '#…'}
          {count > 1 && last && ` to ${stepNumber(last)}`}
        </span>
        <span>{found.shared === all ? plural(all, 'shared step') : `${plural(all, 'step')}, the same in both`}</span>
        <span className="end small muted run-how">matched by name and position</span>
      </button>
      {open &&
        rows.slice(-PAGE).map((row) => (
          <div key={rowKey(row)} className="run-row brief">
            <Step store={found.a.store} step={row.a} name="A" />
            <Gutter row={row} />
            <Step store={found.b.store} step={row.b} name="B" />
          </div>
        ))}
    </>
  );
}

interface RowProps {
  readonly row: RunRow;
  readonly found: RunComparison;
  readonly isFirst: boolean;
}

function Row({ row, found, isFirst }: RowProps) {
  const ends = row.outcome === true;
  return (
    <>
      {isFirst && <First found={found} row={row} />}
      <div className={clsx('run-row', ends && 'ends')} data-testid="run-row" data-verdict={row.verdict} tabIndex={-1}>
        <Step store={found.a.store} step={row.a} name="A" ends={ends} />
        <Gutter row={row} />
        <Step store={found.b.store} step={row.b} name="B" ends={ends} />
      </div>
    </>
  );
}

/** Where the two part, with both values in words. */
function First({ found, row }: Omit<RowProps, 'isFirst'>) {
  const shown = useShown();
  const value = useValue();
  const difference = found.first?.difference;
  const { a, b } = pairOf(found, row);
  return (
    <div className="run-parted" data-testid="run-first">
      <h2>First difference</h2>
      {difference === undefined ? (
        <span className="second">{verdictOf(row).words}</span>
      ) : (
        <>
          <span className="data">{shown(difference.path)}</span>
          <span className="second">
            A has <b className="data">{value(difference.before, difference.path, 'nothing here')}</b>, B has{' '}
            <b className="data">{value(difference.after, difference.path, 'nothing here')}</b>
          </span>
        </>
      )}
      {a !== undefined && b !== undefined && (
        <Link to="/compare" search={{ a, b, path: difference?.path }} className="btn sm end">
          <Icon of={Columns2} />
          Compare here
        </Link>
      )}
    </div>
  );
}

/** The states to look at: of a step that only one run has, its own and the last one of the other run. */
function pairOf({ rows, a, b }: RunComparison, row: RunRow) {
  const before = rows.slice(0, rows.indexOf(row));
  const [left, right] = [row.a ?? before.findLast((one) => one.a)?.a, row.b ?? before.findLast((one) => one.b)?.b];
  return {
    a: left && formatAddress(toAddress(a.store, left.ref)),
    b: right && formatAddress(toAddress(b.store, right.ref)),
  };
}

function Gutter({ row }: { readonly row: RunRow }) {
  const { glyph, words, tone } = verdictOf(row);
  return (
    <div className={clsx('run-gutter', tone)}>
      <b aria-hidden="true">{glyph}</b>
      <span>{words}</span>
    </div>
  );
}

interface StepProps {
  readonly store: string;
  readonly step: RunStep | undefined;
  readonly name: 'A' | 'B';
  readonly ends?: boolean;
}

function Step({ store, step, name, ends = false }: StepProps) {
  const shown = useShown();
  if (step === undefined) {
    return (
      <div className="run-step none">
        <span>no such step in {name}</span>
      </div>
    );
  }
  const { changes = [], changed = 0, error } = step;
  const left = changed - changes.length;
  return (
    <div className={clsx('run-step', ends && step.status)}>
      <div className="run-head">
        <span className="sr-only">{name}: </span>
        <Link {...checkpointPage(store, step.ref)} className="run-link">
          <b className="data">{stepNumber(step)}</b>
          <StatusIcon status={step.status} size={14} />
          <span className="strong cut">{shown(step.description ?? step.trigger ?? step.ref.id)}</span>
        </Link>
        <span className="end small muted run-used">{usedText(step)}</span>
      </div>
      {error !== undefined && (
        <Change glyph="✕" kind="failed">
          <b>{shown(error)}</b>
        </Change>
      )}
      {changes.map((item) => (
        <ChangeLine key={`${item.kind} ${item.path}`} item={item} />
      ))}
      {left > 0 && <p className="small muted run-more">and {left} more</p>}
      {step.changed === 0 && error === undefined && <p className="small muted run-more">no change</p>}
    </div>
  );
}

function ChangeLine({ item }: { readonly item: SentDifference }) {
  const shown = useShown();
  const value = useValue();
  const { kind, path, before, after, from } = item;
  return (
    <Change glyph={GLYPHS[kind].glyph} kind={kind} word={GLYPHS[kind].word}>
      <PathText text={shown((kind === 'moved' ? (from ?? '') : path).replace(/^\$\.(?=.)/, ''))} />{' '}
      {kind === 'moved' && <>→ {shown(path)}</>}
      {before !== undefined && kind !== 'added' && <span className="second">{value(before, path)} </span>}
      {after !== undefined && kind !== 'moved' && (
        <>
          {kind !== 'added' && '→ '}
          <b>{value(after, path)}</b>
        </>
      )}
    </Change>
  );
}

interface ChangeProps {
  readonly glyph: string;
  readonly kind: string;
  readonly word?: string;
  readonly children: ReactNode;
}

const Change = ({ glyph, kind, word, children }: ChangeProps) => (
  <p className="run-change data">
    <i className={kind} aria-hidden="true">
      {glyph}
    </i>
    <span>
      {word !== undefined && <span className="sr-only">{word} </span>}
      {children}
    </span>
  </p>
);

/** JSON text for one line, masked before it is cut. */
export function useValue() {
  const shown = useShownJson();
  return (text: string | undefined, path: string, none = 'absent'): string =>
    text === undefined ? none : previewJson(shown(text, path), VALUE);
}
