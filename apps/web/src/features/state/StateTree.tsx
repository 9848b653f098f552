import { blobAt, InspectorError, parsePath, sourceOf, type JsonNode } from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { ChevronDown, ChevronRight, ChevronUp, Copy, Search } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Badge, Icon, IconButton, Menu, TextField, VirtualList } from '../../components/index.ts';
import { formatCount, plural, shownHead } from '../../lib/format.ts';
import { copyText } from '../../components/copy.ts';
import { useRested } from '../../lib/hooks.ts';
import { useKeys } from '../../lib/keys.ts';
import { useShown } from '../../lib/masking.ts';
import { closeLevel, openLevel, openSiblings } from './levels.ts';
import { StoredBlob } from '../big-state/StoredBlob.tsx';
import {
  findInState,
  MATCH_LIMIT,
  openTo,
  pathId,
  sizeOf,
  stateRows,
  type Opened,
  type StateRow,
  type ValueRow,
} from './rows.ts';
import './state.css';

interface StateTreeProps {
  readonly text: string;
  readonly root: JsonNode;
  readonly path: string | undefined;
  readonly onPath: (path: string | undefined) => void;
}

const ROW = 24;

function parsed(path: string | undefined) {
  if (path === undefined) return undefined;
  try {
    return parsePath(path);
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

/** The state as a tree: exact text, opened as far as wanted, with a search. */
export function StateTree({ text, root, path, onPath }: StateTreeProps) {
  const [opened, setOpened] = useState<Opened>(() => openTo(root, parsed(path) ?? [], new Map()));
  const rows = useMemo(() => stateRows(root, opened), [root, opened]);
  const active = path === undefined ? -1 : rows.findIndex((row) => row.id === path);
  const find = useFind(text, root, path, (found) => {
    setOpened((before) => openTo(root, parsed(found) ?? [], before));
    onPath(found);
  });
  const set = (row: StateRow, open: boolean): void => setOpened((before) => new Map(before).set(row.id, open));
  const more = (): void => setOpened((before) => openLevel(rows, before));
  useKeys({
    '*': () => setOpened((before) => openSiblings(rows, active, before)),
    '+': more,
    '=': more,
    '-': () => setOpened((before) => closeLevel(rows, before)),
  });
  const onKey = (event: KeyboardEvent): void => {
    const row = rows[active];
    if (!row || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowRight' && row.open === false) set(row, true);
    else if (event.key === 'ArrowLeft' && row.open) set(row, false);
    else if (event.key === 'ArrowLeft' && row.kind === 'value' && row.path.length > 0)
      onPath(pathId(row.path.slice(0, -1)));
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="state-bar">
        <TextField
          ref={find.field}
          icon={Search}
          label="Find in state"
          value={find.words}
          onChange={find.setWords}
          className="state-find"
          testId="state-find"
          onKeyDown={(event) => {
            if (event.key === 'Enter') find.step(event.shiftKey ? -1 : 1);
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        {find.words !== '' && (
          <>
            <span className="small muted" role="status">
              {find.summary}
            </span>
            <IconButton label="Previous match" kbd="N" icon={ChevronUp} onClick={() => find.step(-1)} />
            <IconButton label="Next match" kbd="n" icon={ChevronDown} onClick={() => find.step(1)} />
          </>
        )}
        {find.words === '' && (
          <span className="small muted end">
            {plural(sizeOf(root), root.kind === 'array' ? 'item' : 'key')} at the top, {formatCount(text.length)}{' '}
            characters
          </span>
        )}
      </div>
      <VirtualList
        items={rows}
        keyOf={(row) => row.id}
        heightOf={() => ROW}
        label="State"
        role="tree"
        className="state-tree"
        active={active}
        onActive={(index) => {
          const row = rows[index];
          if (row?.kind === 'value') onPath(pathId(row.path));
        }}
        isRow={(row) => row.kind === 'value'}
        onKey={onKey}
        testId="state-tree"
        rowProps={(row) =>
          row.kind === 'range'
            ? {}
            : { 'aria-level': row.depth + 1, ...(row.open === undefined ? {} : { 'aria-expanded': row.open }) }
        }
        render={(row, index) => (
          <TreeRow
            row={row}
            text={text}
            focused={index === active}
            matched={row.kind === 'value' && find.matches.has(row.id)}
            onToggle={() => set(row, !row.open)}
            onFocus={() => row.kind === 'value' && onPath(pathId(row.path))}
          />
        )}
      />
    </>
  );
}

interface TreeRowProps {
  readonly row: StateRow;
  readonly text: string;
  readonly focused: boolean;
  readonly matched: boolean;
  readonly onToggle: () => void;
  readonly onFocus: () => void;
}

function TreeRow({ row, text, focused, matched, onToggle, onFocus }: TreeRowProps) {
  const shown = useShown();
  const press = (): void => {
    onFocus();
    if (row.open !== undefined) onToggle();
  };
  return (
    // The tree around it has the keys; the mouse needs the row itself.
    <div
      role="presentation"
      className={clsx('state-row', focused && 'focused', matched && 'matched')}
      style={{ paddingLeft: 12 + row.depth * 16 }}
      onClick={press}
      data-path={shown(row.id)}
    >
      <span className="state-twisty">
        {row.open !== undefined && <Icon of={row.open ? ChevronDown : ChevronRight} size={12} />}
      </span>
      {row.kind === 'range' ? (
        <span className="muted">
          {formatCount(row.from)} … {formatCount(row.to - 1)}
        </span>
      ) : (
        <ValueCells row={row} text={text} />
      )}
      {row.kind === 'value' && focused && <CopyMenu row={row} text={text} />}
    </div>
  );
}

function ValueCells({ row, text }: { readonly row: ValueRow; readonly text: string }) {
  const { node } = row;
  const shown = useShown();
  const size = sizeOf(node);
  return (
    <>
      {row.name !== undefined && (
        <span className="state-key">
          {row.name === '' ? '""' : shown(row.name)}
          <span className="muted">:</span>
        </span>
      )}
      {size === 0 ? (
        <Scalar row={row} text={text} />
      ) : (
        <span className="muted cut">
          {node.kind === 'object' ? '{' : '['}
          {row.open
            ? ''
            : ` ${shownHead(shown, text.slice(node.start + 1, Math.min(node.end - 1, node.start + 5400)).trim(), 140)} `}
          {row.open ? '' : node.kind === 'object' ? '}' : ']'}
          <span className="state-size">{node.kind === 'object' ? plural(size, 'key') : plural(size, 'item')}</span>
        </span>
      )}
      {row.duplicate && (
        <Badge tone="warn" title="The same key stood earlier in this object; the last one counts">
          duplicate key
        </Badge>
      )}
    </>
  );
}

/** A scalar as it is written; data in base64 as what it is. */
function Scalar({ row, text }: { readonly row: ValueRow; readonly text: string }) {
  const { node } = row;
  const shown = useShown();
  const blob = useMemo(() => blobAt(text, node.start, node.end), [text, node]);
  if (blob) return <StoredBlob blob={blob} source={sourceOf(text, node)} path={row.id} />;
  return <span className={clsx('state-value cut', node.kind)}>{shownHead(shown, sourceOf(text, node), 2000)}</span>;
}

function CopyMenu({ row, text }: { readonly row: ValueRow; readonly text: string }) {
  return (
    <span className="state-copy" role="presentation" onClick={(event) => event.stopPropagation()}>
      <Menu
        align="end"
        groups={[
          [
            { label: 'Copy value', onSelect: () => void copyText(sourceOf(text, row.node), 'The value') },
            {
              label: 'Copy path',
              detail: pathId(row.path),
              onSelect: () => void copyText(pathId(row.path), 'The path'),
            },
          ],
        ]}
        trigger={
          <button type="button" className="btn ghost only-icon" aria-label="Copy value or path">
            <Icon of={Copy} />
          </button>
        }
      />
    </span>
  );
}

/** Search with a place among its matches. */
function useFind(text: string, root: JsonNode, path: string | undefined, onFound: (path: string) => void) {
  const [words, setWords] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const rested = useRested(words);
  const found = useMemo(() => (rested === '' ? [] : findInState(text, root, rested).map(pathId)), [text, root, rested]);
  const matches = useMemo(() => new Set(found), [found]);
  const at = path === undefined ? -1 : found.indexOf(path);
  const step = (by: 1 | -1): void => {
    const next = found[(at + by + found.length) % found.length];
    if (next !== undefined) onFound(next);
  };
  // Only new words lead to their first match; moving about must not.
  const toFirst = useRef<() => void>(undefined);
  toFirst.current = () => {
    if (found[0] !== undefined && at === -1) onFound(found[0]);
  };
  useEffect(() => toFirst.current?.(), [found]);
  useKeys({
    n: () => found.length > 0 && step(1),
    N: () => found.length > 0 && step(-1),
    'Ctrl+f': () => field.current?.focus(),
    '/': () => field.current?.focus(),
  });
  const count =
    found.length === MATCH_LIMIT
      ? `the first ${formatCount(MATCH_LIMIT)} matches`
      : plural(found.length, 'match', 'matches');
  const summary = rested !== words ? '' : at === -1 ? count : `${formatCount(at + 1)} of ${count}`;
  return { words, setWords, field, matches, step, summary };
}
