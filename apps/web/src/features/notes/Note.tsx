import { Pencil, Plus } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { Button } from '../../components/index.ts';
import { useShown } from '../../lib/masking.ts';

interface NoteProps {
  readonly note: string | undefined;
  readonly readOnly: boolean;
  /** Rejects where it could not be kept; the text then stays in the field. */
  readonly onWrite: (note: string) => Promise<void>;
}

/** The note as text; a click makes it a field. Ctrl+Enter or leaving the field keeps it, Escape does not. */
export function Note({ note, readOnly, onWrite }: NoteProps) {
  const [draft, setDraft] = useState<string>();
  const shown = useShown();
  if (draft !== undefined) return <NoteField note={note} draft={draft} onDraft={setDraft} onWrite={onWrite} />;
  if (note === undefined) {
    if (readOnly) return null;
    return (
      <Button size="sm" variant="ghost" icon={Plus} onClick={() => setDraft('')} data-testid="add-note">
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
        <Button size="sm" variant="ghost" icon={Pencil} onClick={() => setDraft(note)}>
          Edit the note
        </Button>
      )}
    </div>
  );
}

interface NoteFieldProps extends Omit<NoteProps, 'readOnly'> {
  readonly draft: string;
  readonly onDraft: (draft: string | undefined) => void;
}

function NoteField({ note, draft, onDraft, onWrite }: NoteFieldProps) {
  const [busy, setBusy] = useState(false);
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
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void write();
  };
  return (
    <textarea
      className="note-field"
      aria-label="Note"
      placeholder="What should be known about this checkpoint? Ctrl+Enter keeps it."
      rows={4}
      maxLength={20_000}
      autoFocus
      readOnly={busy}
      value={draft}
      onChange={(event) => onDraft(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => void write()}
      data-testid="note-field"
    />
  );
}
