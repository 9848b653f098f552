import { InspectorError, parsePath, sourceOf, type JsonNode } from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { ChevronDown, ChevronRight, Pencil, Plus, Trash2 } from 'lucide-react';
import { useEffect, useMemo, useState, type KeyboardEvent } from 'react';
import { Icon, IconButton, VirtualList } from '../../components/index.ts';
import { formatCount, plural, shownHead } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { openTo, pathId, sizeOf, stateRows, type Opened, type StateRow, type ValueRow } from '../state/rows.ts';
import { withNew, without, withValue } from './tree-edit.ts';
import { ValueForm } from './ValueForm.tsx';

interface TreeEditorProps {
  readonly text: string;
  readonly root: JsonNode;
  readonly onText: (text: string) => void;
  /** Paths of the edit's changes, marked in the tree. */
  readonly changed: ReadonlySet<string>;
  /** Where the reader came from. */
  readonly path: string | undefined;
}

interface Asked {
  readonly act: 'value' | 'new';
  readonly row: ValueRow;
}

const ROW = 28;

function openedAt(root: JsonNode, path: string | undefined): Opened {
  if (path === undefined) return new Map();
  try {
    return openTo(root, parsePath(path), new Map());
  } catch (error) {
    if (InspectorError.is(error)) return new Map();
    throw error;
  }
}

const focusTree = (): void => document.querySelector<HTMLElement>('[data-testid="edit-tree"]')?.focus();

/** The state as a tree in which values are changed, added and removed in place. */
export function TreeEditor({ text, root, onText, changed, path }: TreeEditorProps) {
  const [opened, setOpened] = useState(() => openedAt(root, path));
  const [at, setAt] = useState(path);
  const [asked, setAsked] = useState<Asked>();
  const rows = useMemo(() => stateRows(root, opened), [root, opened]);
  const active = rows.findIndex((row) => row.id === at);
  const toggle = (row: StateRow, open = !row.open): void => setOpened((before) => new Map(before).set(row.id, open));
  const ask = (act: Asked['act'], row: ValueRow): void => {
    setAt(row.id);
    setAsked({ act, row });
  };
  const onKey = (event: KeyboardEvent): void => {
    const row = rows[active];
    if (!row || event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowRight' && row.open === false) toggle(row, true);
    else if (event.key === 'ArrowLeft' && row.open) toggle(row, false);
    else if (row.kind === 'value' && (event.key === 'Enter' || event.key === 'F2')) ask('value', row);
    else if (row.kind === 'value' && event.key === 'Insert' && row.node.kind !== 'string') ask('new', row);
    else if (row.kind === 'value' && event.key === 'Delete' && row.path.length > 0)
      onText(without(text, row.path, row.node));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  // Whoever came by a key goes on by keys.
  useEffect(focusTree, []);
  const done = (next: string | undefined): void => {
    setAsked(undefined);
    if (next !== undefined) onText(next);
    focusTree();
  };
  return (
    <>
      {asked && (
        <ValueForm
          key={`${asked.act} ${asked.row.id}`}
          path={pathId(asked.row.path)}
          act={asked.act}
          into={asked.row.node.kind === 'array' ? 'array' : 'object'}
          value={asked.act === 'value' ? sourceOf(text, asked.row.node) : ''}
          onCancel={() => done(undefined)}
          onValue={(value, key) =>
            done(
              asked.act === 'value'
                ? withValue(text, asked.row.path, value)
                : withNew(text, asked.row.path, key, value),
            )
          }
        />
      )}
      <VirtualList
        items={rows}
        keyOf={(row) => row.id}
        heightOf={() => ROW}
        label="State to edit: Enter changes a value, Insert adds one, Delete removes one"
        role="tree"
        className="edit-tree"
        active={active}
        onActive={(index) => setAt(rows[index]?.id)}
        isRow={(row) => row.kind === 'value'}
        onKey={onKey}
        testId="edit-tree"
        rowProps={(row) => ({
          'aria-level': row.depth + 1,
          ...(row.open === undefined ? {} : { 'aria-expanded': row.open }),
        })}
        render={(row, index) => (
          <EditRow
            row={row}
            text={text}
            focused={index === active}
            changed={changed.has(row.id)}
            onToggle={() => {
              setAt(row.id);
              if (row.open !== undefined) toggle(row);
            }}
            onAsk={(act) => row.kind === 'value' && ask(act, row)}
            onRemove={() => row.kind === 'value' && onText(without(text, row.path, row.node))}
          />
        )}
      />
    </>
  );
}

interface EditRowProps {
  readonly row: StateRow;
  readonly text: string;
  readonly focused: boolean;
  readonly changed: boolean;
  readonly onToggle: () => void;
  readonly onAsk: (act: Asked['act']) => void;
  readonly onRemove: () => void;
}

function EditRow({ row, text, focused, changed, onToggle, onAsk, onRemove }: EditRowProps) {
  const shown = useShown();
  return (
    // The tree around it has the keys; the mouse needs the row itself.
    <div
      role="presentation"
      className={clsx('state-row edit-row', focused && 'focused', changed && 'changed')}
      style={{ paddingLeft: 12 + row.depth * 16 }}
      data-path={shown(row.id)}
      onClick={onToggle}
      onDoubleClick={() => onAsk('value')}
    >
      <span className="state-twisty">
        {row.open !== undefined && <Icon of={row.open ? ChevronDown : ChevronRight} size={12} />}
      </span>
      {row.kind === 'range' ? (
        <span className="muted">
          {formatCount(row.from)} … {formatCount(row.to - 1)}
        </span>
      ) : (
        <Cells row={row} text={text} changed={changed} />
      )}
      {row.kind === 'value' && focused && (
        <span className="edit-acts" role="presentation" onClick={(event) => event.stopPropagation()}>
          <IconButton label="Change value" kbd="↵" icon={Pencil} onClick={() => onAsk('value')} />
          {(row.node.kind === 'object' || row.node.kind === 'array') && (
            <IconButton label="Add inside" kbd="Ins" icon={Plus} onClick={() => onAsk('new')} />
          )}
          {row.path.length > 0 && <IconButton label="Remove" kbd="Del" icon={Trash2} onClick={onRemove} />}
        </span>
      )}
    </div>
  );
}

function Cells({ row, text, changed }: { readonly row: ValueRow; readonly text: string; readonly changed: boolean }) {
  const shown = useShown();
  const size = sizeOf(row.node);
  return (
    <>
      {changed && (
        <span className="edit-mark" title="Changed by this edit">
          ~<span className="sr-only"> changed</span>
        </span>
      )}
      {row.name !== undefined && <span className="state-key">{row.name === '' ? '""' : shown(row.name)}:</span>}
      {size === 0 ? (
        <span className={clsx('state-value cut', row.node.kind)}>
          {shownHead(shown, sourceOf(text, row.node), 2000)}
        </span>
      ) : (
        <span className="muted">{row.node.kind === 'object' ? plural(size, 'key') : plural(size, 'item')}</span>
      )}
    </>
  );
}
