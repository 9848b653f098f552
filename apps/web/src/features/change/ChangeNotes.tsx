import { Fragment, type ReactNode, useEffect, useId, useState } from 'react';
import type { InspectorError } from '@checkpoint-inspector/core';
import { Check, CircleAlert, RefreshCw, TriangleAlert } from 'lucide-react';
import { CopyButton, Icon } from '../../components/index.ts';
import { useShown } from '../../lib/masking.ts';
import type { DialogState } from './use-change.ts';
import { conflictText, type NameOf, type NamedRequest, unchangedText, wordsOf } from './sentences.ts';
import './change.css';

interface NoteProps {
  readonly tone: 'warn' | 'bad' | 'quiet';
  readonly icon: typeof CircleAlert;
  readonly title: string;
  readonly children?: ReactNode;
}

export function Note({ tone, icon, title, children }: NoteProps) {
  const shown = useShown();
  return (
    <div className={`change-note ${tone}`} role={tone === 'quiet' ? 'status' : 'alert'}>
      <Icon of={icon} size={16} />
      <div>
        <p className="change-note-title">{shown(title)}</p>
        {children}
      </div>
    </div>
  );
}

type Conflict = Extract<DialogState, { name: 'conflict' }>;

export function ConflictNote({ state, nameOf }: { readonly state: Conflict; readonly nameOf: NameOf }) {
  return (
    <Note
      tone="warn"
      icon={TriangleAlert}
      title={conflictText(state.before, state.plan.latestBefore, nameOf, state.message)}
    >
      <p>Nothing was changed. This is a new preview against the store as it is now; confirm again.</p>
    </Note>
  );
}

/** @param name of the checkpoint, as `#14` */
export const LatestNote = ({ name }: { readonly name: string }) => (
  <Note tone="quiet" icon={Check} title={`${name} is already the latest.`}>
    <p>The task resumes from it as it is: there is nothing to restore.</p>
  </Note>
);

export function RenewedNote() {
  return (
    <Note tone="quiet" icon={RefreshCw} title="The preview was older than 15 minutes.">
      <p>This is a new one; nothing was changed.</p>
    </Note>
  );
}

interface ErrorNoteProps {
  readonly error: InspectorError;
  readonly kind: NamedRequest['kind'];
}

const causeOf = (error: InspectorError): string | undefined => {
  const cause = error.data?.['cause'];
  return typeof cause === 'string' ? cause : undefined;
};

export function FailureNote({ error, kind }: ErrorNoteProps) {
  const cause = causeOf(error);
  const shown = useShown();
  return (
    <Note tone="bad" icon={CircleAlert} title={`${wordsOf(kind).act} failed: ${error.message}`}>
      {cause !== undefined && <p>Cause: {shown(cause)}</p>}
      <p>{unchangedText(error)}</p>
      <p className="muted">{error.remedy}</p>
      <CopyButton
        text={[error.code, error.message, cause, error.remedy].filter(Boolean).join('\n')}
        label="Copy details"
      />
    </Note>
  );
}

/** The store's own reason, plainly. */
export function RefusalNote({ error, kind }: ErrorNoteProps) {
  const refused = error.code === 'unsupported' || error.code === 'read_only';
  return (
    <Note
      tone={refused ? 'warn' : 'bad'}
      icon={refused ? TriangleAlert : CircleAlert}
      title={refused ? error.message : `No preview: ${error.message}`}
    >
      <p>Nothing was changed.</p>
      {!(refused && error.code === 'unsupported') && <p className="muted">{error.remedy}</p>}
      {!refused && (
        <CopyButton text={[kind, error.code, error.message, error.remedy].join('\n')} label="Copy details" />
      )}
    </Note>
  );
}

export interface ForkInput {
  readonly id: string;
  readonly task: string;
  /** With all that led to it. */
  readonly history: boolean;
}

interface ForkFieldsProps {
  readonly onChange: (input: ForkInput) => void;
  readonly disabled: boolean;
  readonly offersHistory: boolean;
}

/** After this pause in typing the preview is computed again. */
const PAUSE_MS = 350;

/** Both may stay empty: the store's rule then names the checkpoint, and the task stays the same. */
export function ForkFields({ onChange, disabled, offersHistory }: ForkFieldsProps) {
  const [id, setId] = useState('');
  const [task, setTask] = useState('');
  const [history, setHistory] = useState(false);
  const name = useId();

  useEffect(() => {
    const timer = setTimeout(() => onChange({ id: id.trim(), task: task.trim(), history }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [id, task, history, onChange]);

  const fields = [
    { key: 'id', label: 'New id', value: id, set: setId, placeholder: "by the store's rule" },
    { key: 'task', label: 'Into task', value: task, set: setTask, placeholder: 'the same' },
  ];
  return (
    <div className="change-fields">
      {fields.map(({ key, label, value, set, placeholder }) => (
        <Fragment key={key}>
          <label htmlFor={`${name}-${key}`}>{label}</label>
          <input
            id={`${name}-${key}`}
            value={value}
            onChange={(event) => set(event.target.value)}
            disabled={disabled}
            placeholder={placeholder}
            autoComplete="off"
            spellCheck={false}
          />
        </Fragment>
      ))}
      {offersHistory && (
        <label className="change-history">
          <input
            type="checkbox"
            checked={history}
            onChange={(event) => setHistory(event.target.checked)}
            disabled={disabled}
          />
          Copy all that led to it too
        </label>
      )}
    </div>
  );
}
