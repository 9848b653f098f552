import {
  applyDifferences,
  formatPath,
  type JsonNode,
  parseJson,
  patchJson,
  type Path,
  setMember,
  sourceOf,
  valueAt,
} from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import { IconButton } from '../../components/index.ts';
import { countOf, KeyCell, Value } from '../value/ReadTree.tsx';
import type { KnownRow } from '../value/rows.ts';
import { textParts } from '../value/source.ts';
import { useValueTree } from '../value/use-tree.ts';
import { ValueTree } from '../value/ValueTree.tsx';
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
  readonly path: Path;
  readonly kind: JsonNode['kind'];
  /** What is typed so far: a row that leaves the view keeps it. */
  readonly value: string;
  readonly newKey: string;
}

const ROW = 28;

const focusTree = (): void => document.querySelector<HTMLElement>('[data-testid="edit-tree"]')?.focus();

/** The state as a tree in which values are changed, added and removed in place. */
export function TreeEditor({ text, root, onText, changed, path }: TreeEditorProps) {
  const [at, setAt] = useState(path);
  const [asked, setAsked] = useState<Asked>();
  const source = useMemo(() => textParts(text), [text]);
  const tree = useValueTree(source, at, setAt);
  const ask = (act: Asked['act'], { path, note }: KnownRow): void => {
    setAt(formatPath(path));
    const node = valueAt(text, root, path);
    if (node) setAsked({ act, path, kind: note.kind, value: act === 'value' ? sourceOf(text, node) : '', newKey: '' });
  };
  const remove = ({ path }: KnownRow): void => {
    const node = valueAt(text, root, path);
    if (node && path.length > 0) onText(without(text, path, node));
  };
  const onKey = ({ key }: KeyboardEvent, found: KnownRow): boolean => {
    if (key === 'Enter' || key === 'F2') ask('value', found);
    else if (key === 'Insert' && found.note.kind !== 'string') ask('new', found);
    else if (key === 'Delete' && found.path.length > 0) remove(found);
    else return false;
    return true;
  };
  // Whoever came by a key continues by keys.
  useEffect(focusTree, []);
  const done = (next: string | undefined): void => {
    setAsked(undefined);
    if (next !== undefined) onText(next);
    focusTree();
  };
  const askedPath = asked && formatPath(asked.path);
  const form = asked && askedPath !== undefined && (
    <span
      role="presentation"
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <ValueForm
        key={`${asked.act} ${askedPath}`}
        path={askedPath}
        act={asked.act}
        into={asked.kind === 'array' ? 'array' : 'object'}
        value={asked.value}
        newKey={asked.newKey}
        onDraft={(value, newKey) => setAsked({ ...asked, value, newKey })}
        onCancel={() => done(undefined)}
        onValue={(value, key) =>
          done(asked.act === 'value' ? withValue(text, asked.path, value) : withNew(text, asked.path, key, value))
        }
      />
    </span>
  );
  return (
    <ValueTree
      tree={tree}
      onPath={setAt}
      face={{
        label: 'State to edit: Enter changes a value, Insert adds one, Delete removes one',
        testId: 'edit-tree',
        className: 'edit-tree',
        rowHeight: ROW,
        rowClass: (own) => clsx('edit-row', changed.has(own) && 'changed'),
        renderCells: (found) => <Cells found={found} changed={changed.has(formatPath(found.path))} />,
        renderActs: (found) => <Acts found={found} onAsk={(act) => ask(act, found)} onRemove={() => remove(found)} />,
        renderOver: ({ path: own }) => askedPath !== undefined && formatPath(own) === askedPath && form,
        onKey,
        onDoubleClick: (found) => ask('value', found),
      }}
    />
  );
}

interface ActsProps {
  readonly found: KnownRow;
  readonly onAsk: (act: Asked['act']) => void;
  readonly onRemove: () => void;
}

function Acts({ found: { path, note }, onAsk, onRemove }: ActsProps) {
  return (
    <span className="edit-acts" role="presentation" onClick={(event) => event.stopPropagation()}>
      <IconButton label="Change value" kbd="↵" icon={Pencil} onClick={() => onAsk('value')} />
      {(note.kind === 'object' || note.kind === 'array') && (
        <IconButton label="Add inside" kbd="Ins" icon={Plus} onClick={() => onAsk('new')} />
      )}
      {path.length > 0 && <IconButton label="Remove" kbd="Del" icon={Trash2} onClick={onRemove} />}
    </span>
  );
}

function Cells({ found: { note, step, path }, changed }: { readonly found: KnownRow; readonly changed: boolean }) {
  return (
    <>
      {changed && (
        <span className="edit-mark" title="Changed by this edit">
          ~<span className="sr-only"> changed</span>
        </span>
      )}
      <KeyCell step={step} />
      {note.count ? <span className="muted">{countOf(note)}</span> : <Value note={note} open={false} path={path} />}
    </>
  );
}

// Acts of the tree editor on the text: each changes the tokens it names and nothing else.

/** @throws InspectorError unreadable, when `value` is not JSON */
export function withValue(text: string, path: Path, value: string): string {
  parseJson(value);
  return patchJson(text, [{ path, text: value.trim() }]);
}

/**
 * A new member of an object, or an item at the end of an array.
 * @throws InspectorError unreadable, when `value` is not JSON
 */
export function withNew(text: string, path: Path, key: string, value: string): string {
  parseJson(value);
  const at = valueAt(text, parseJson(text), path);
  if (at?.kind !== 'array') return setMember(text, path, key, value.trim());
  const item = formatPath([...path, at.items.length]);
  return applyDifferences(text, [{ path: item, kind: 'added', after: value.trim() }]);
}

export function without(text: string, path: Path, node: JsonNode): string {
  return applyDifferences(text, [{ path: formatPath(path), kind: 'removed', before: sourceOf(text, node) }]);
}
