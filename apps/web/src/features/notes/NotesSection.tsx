import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { Bookmark, Pencil, Plus, X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { Badge, Button, Icon, QueryError, useAwaited } from '../../components/index.ts';
import { addressOf } from '../../lib/address.ts';
import { useKeys } from '../../lib/keys.ts';
import { useShown } from '../../lib/masking.ts';
import { annotationsQuery, statusQuery } from '../../lib/queries.ts';
import { isFile } from '../../lib/viewer/page.ts';
import { annotationOf, BOOKMARK, useAnnotate } from './use-annotate.ts';

interface NotesSectionProps {
  readonly meta: CheckpointMeta;
  /** A person has begun to write: what is shown must stay, whatever an agent saves meanwhile. */
  readonly onWriting: () => void;
}

/** Labels and the note of the checkpoint: what the store says, then what people wrote. */
export function NotesSection({ meta, onWriting }: NotesSectionProps) {
  const at = addressOf(meta);
  const { data: status } = useQuery(statusQuery());
  const kept = useQuery(annotationsQuery(at.store, at.task));
  const { data: items, isPending } = kept;
  useAwaited(isPending);
  const annotate = useAnnotate(at);
  const shown = useShown();
  const { labels, note } = annotationOf(items, at);
  // What was typed for one checkpoint is not meant for the next.
  const key = `${at.store} ${at.task} ${at.namespace ?? ''} ${at.id}`;
  const used = new Set((items ?? []).flatMap((item) => item.labels));
  // What is masked on the screen is not offered either.
  const known = [...used].filter((label) => !labels.includes(label) && shown(label) === label);
  const readOnly = status?.readOnly ?? false;
  const marked = labels.includes(BOOKMARK);
  // A checkpoint has the labels given here as well: those are below, with a way to remove them.
  const fromStore = meta.labels.filter((label) => !labels.includes(label));
  const mark = (): void => {
    if (!readOnly && items !== undefined) annotate.mutate({ kind: marked ? 'remove' : 'add', label: BOOKMARK });
  };
  useKeys({ m: mark });
  return (
    <section className="section notes" aria-label="Notes and labels" data-testid="notes">
      <h3 className="label flex">
        Notes and labels
        {!isFile() && (
          <Button
            className={clsx('end', marked && 'pressed')}
            size="sm"
            variant="ghost"
            kbd="m"
            icon={Bookmark}
            onClick={mark}
            aria-pressed={marked}
            disabledReason={readOnly ? READ_ONLY : undefined}
            data-testid="bookmark"
          >
            {marked ? 'Bookmarked' : 'Bookmark'}
          </Button>
        )}
      </h3>
      <ul className="note-labels" aria-label="Labels">
        {fromStore.map((label) => (
          <li key={`store ${label}`}>
            <Badge tone="quiet" title="From the store">
              {shown(label)}
            </Badge>
          </li>
        ))}
        {labels
          .filter((label) => label !== BOOKMARK)
          .map((label) => (
            <li key={label} className="badge note-label" data-testid="own-label">
              {shown(label)}
              {!readOnly && (
                <button
                  type="button"
                  aria-label={`Remove the label ${shown(label)}`}
                  onClick={() => annotate.mutate({ kind: 'remove', label })}
                >
                  <Icon of={X} size={12} />
                </button>
              )}
            </li>
          ))}
        {!readOnly && (
          <li>
            <AddLabel
              key={key}
              known={known}
              onAdd={(label) => annotate.mutate({ kind: 'add', label })}
              onWriting={onWriting}
            />
          </li>
        )}
      </ul>
      {meta.note !== undefined && (
        <p className="note-text muted" title="From the store" data-testid="store-note">
          {shown(meta.note)}
        </p>
      )}
      {items === undefined ? (
        // A note that isn't known yet must not be written over.
        <QueryError query={kept} title="The labels and notes written here could not be read." />
      ) : (
        <Note
          key={key}
          note={note}
          readOnly={readOnly}
          onWrite={(text) => annotate.mutateAsync({ kind: 'note', note: text }).then(() => undefined)}
          onWriting={onWriting}
        />
      )}
      {readOnly && !isFile() && <p className="small muted">{READ_ONLY}</p>}
      {isFile() && meta.labels.length === 0 && meta.note === undefined && <p className="small muted">None.</p>}
    </section>
  );
}

const READ_ONLY = 'Started with --read-only: labels and notes can be read.';

interface AddLabelProps extends Pick<NotesSectionProps, 'onWriting'> {
  readonly known: readonly string[];
  readonly onAdd: (label: string) => void;
}

function AddLabel({ known, onAdd, onWriting }: AddLabelProps) {
  const [text, setText] = useState('');
  const id = useId();
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const label = text.trim();
    if (label === '') return;
    onAdd(label);
    setText('');
  };
  return (
    <form onSubmit={add} className="note-add">
      <input
        className="note-input"
        aria-label="Add a label"
        placeholder="Add a label"
        list={id}
        maxLength={60}
        value={text}
        onChange={(event) => {
          onWriting();
          setText(event.target.value);
        }}
        data-testid="add-label"
      />
      <datalist id={id}>
        {known.map((label) => (
          <option key={label} value={label}>
            {label}
          </option>
        ))}
      </datalist>
    </form>
  );
}

interface NoteProps extends Pick<NotesSectionProps, 'onWriting'> {
  readonly note: string | undefined;
  readonly readOnly: boolean;
  /** Rejects where it could not be kept; the text then stays in the field. */
  readonly onWrite: (note: string) => Promise<void>;
}

/** The note as text; a click makes it a field. Ctrl+Enter or leaving the field keeps it, Escape does not. */
function Note({ note, readOnly, onWrite, onWriting }: NoteProps) {
  const [draft, setDraft] = useState<string>();
  const begin = (text: string): void => {
    onWriting();
    setDraft(text);
  };
  const shown = useShown();
  if (draft !== undefined) return <NoteField note={note} draft={draft} onDraft={setDraft} onWrite={onWrite} />;
  if (note === undefined) {
    if (readOnly) return null;
    return (
      <Button size="sm" variant="ghost" icon={Plus} onClick={() => begin('')} data-testid="add-note">
        Add a note
      </Button>
    );
  }
  return (
    <div className="note">
      <p className="note-text" data-testid="note-text">
        {shown(note)}
      </p>
      {!readOnly && (
        <Button size="sm" variant="ghost" icon={Pencil} onClick={() => begin(note)}>
          Edit the note
        </Button>
      )}
    </div>
  );
}

interface NoteFieldProps extends Pick<NoteProps, 'note' | 'onWrite'> {
  readonly draft: string;
  readonly onDraft: (draft: string | undefined) => void;
}

/** What is said below the field may be out of view. */
const showAll = (box: HTMLElement | null): void => box?.scrollIntoView({ block: 'nearest' });

function NoteField({ note, draft, onDraft, onWrite }: NoteFieldProps) {
  const [busy, setBusy] = useState(false);
  const [before] = useState(note);
  const shown = useShown();
  const isOther = note !== before && note !== draft && !busy;
  const close = (): void => onDraft(undefined);
  const write = async (): Promise<void> => {
    if (busy) return;
    if (draft === (note ?? '')) return close();
    setBusy(true);
    try {
      await onWrite(draft);
      close();
    } catch {
      setBusy(false); // the message says why; what was written stays here
    }
  };
  // What someone else wrote meanwhile is replaced by nothing but the button that says so.
  const leave = (): void => void (isOther ? undefined : write());
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) leave();
  };
  return (
    <>
      <textarea
        className="note-field"
        aria-label="Note"
        placeholder="What should others know about this checkpoint? Ctrl+Enter saves it."
        rows={4}
        maxLength={20_000}
        autoFocus
        readOnly={busy}
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={leave}
        data-testid="note-field"
      />
      {isOther && (
        <div ref={showAll} className="note" role="alert" data-testid="note-other">
          <p className="small muted">
            {note === undefined
              ? 'The note was removed elsewhere while you were writing.'
              : 'The note was changed elsewhere while you were writing:'}
          </p>
          {note !== undefined && <p className="note-text">{shown(note)}</p>}
          <span className="row-of-controls">
            <Button size="sm" onClick={() => void write()}>
              {note === undefined ? 'Save mine' : 'Replace it with mine'}
            </Button>
            <Button size="sm" variant="ghost" onClick={close}>
              Discard mine
            </Button>
          </span>
        </div>
      )}
    </>
  );
}
