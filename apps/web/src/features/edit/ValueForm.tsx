import { useId, useState } from 'react';
import { Button } from '../../components/index.ts';
import { secretsIn } from '../../lib/masker.ts';
import { isMaskedNow, useRevealed, useShown } from '../../lib/masking.ts';
import { problemIn } from './review.ts';

interface ValueFormProps {
  readonly path: string;
  readonly act: 'value' | 'new';
  readonly into: 'object' | 'array';
  readonly value: string;
  readonly newKey: string;
  readonly onDraft: (value: string, newKey: string) => void;
  readonly onValue: (value: string, key: string) => void;
  readonly onCancel: () => void;
}

const LONG = 60;

/** The row says where it is. @example lastStep('$.a[0]') // '[0]' */
const lastStep = (path: string): string => /(?:\[[^\]]*\]|[^.[\]]+)$/.exec(path)?.[0] ?? path;

/** One value as JSON: Enter takes it, Escape leaves it. */
export function ValueForm({ path, act, into, value: text, newKey: key, onDraft, onValue, onCancel }: ValueFormProps) {
  const id = useId();
  const shown = useShown();
  const revealed = useRevealed();
  const problem = text === '' ? undefined : problemIn(text);
  // Not of what is being typed: the field would be gone after the third digit of a PIN.
  const [wasMasked] = useState(() => act === 'value' && isMaskedNow(text, path));
  const secret = !revealed && (wasMasked || secretsIn(text).length > 0);
  const ready = text !== '' && problem === undefined;
  return (
    <form
      className={act === 'value' ? 'edit-value' : 'edit-value below'}
      aria-label={act === 'value' ? `Change ${shown(path)}` : `Add to ${shown(path)}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onValue(text, key);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
        // Line breaks by Shift+Enter; a bare Enter takes the value.
        if (event.key === 'Enter' && !event.shiftKey && ready && event.target instanceof HTMLTextAreaElement) {
          event.preventDefault();
          onValue(text, key);
        }
      }}
    >
      <span className="edit-value-path data-small" title={shown(path)}>
        {act === 'value' ? shown(lastStep(path)) : `in ${shown(lastStep(path))}`}
      </span>
      {act === 'new' && into === 'object' && (
        <label className="edit-value-key">
          <span>Key</span>
          <input
            value={key}
            autoFocus
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onDraft(text, event.target.value)}
          />
        </label>
      )}
      <label className="edit-value-json" htmlFor={id}>
        <span>JSON</span>
        {secret ? (
          <span className="muted">This value contains a secret. Reveal secrets in the top bar to change it.</span>
        ) : (
          <textarea
            id={id}
            value={text}
            rows={text.length > LONG ? 5 : 1}
            autoFocus={act === 'value' || into === 'array'}
            autoComplete="off"
            spellCheck={false}
            aria-invalid={problem !== undefined}
            aria-describedby={`${id}-problem`}
            onChange={(event) => onDraft(event.target.value, key)}
            data-testid="edit-value"
          />
        )}
      </label>
      <span id={`${id}-problem`} className="edit-value-problem small" role="status">
        {problem && `Column ${problem.column}: ${problem.message}`}
      </span>
      <Button
        type="submit"
        disabledReason={ready ? undefined : 'A value is written as JSON: text in "quotes", 1, true, null.'}
      >
        {act === 'value' ? 'Change' : 'Add'}
      </Button>
      <Button variant="ghost" onClick={onCancel}>
        Cancel
      </Button>
    </form>
  );
}
