import { InspectorError } from '@checkpoint-inspector/core';
import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useStoreLabel } from '../../lib/queries.ts';
import { refresh } from '../../lib/refresh.ts';
import { Button, Dialog, Icon, showToast } from '../../components/index.ts';
import { api } from '../../lib/api.ts';
import { touches } from '../../lib/live.ts';
import './unlock.css';

interface UnlockDialogProps {
  readonly store: string;
  readonly onClose: () => void;
  /** After everything that the key opens was read again. */
  readonly onUnlocked?: () => void;
}

/**
 * Asks for the key of a store. The key lives in this field and in one request: no cache of the page sees it,
 * and closing the dialog takes the field away.
 */
export function UnlockDialog({ store, onClose, onUnlocked }: UnlockDialogProps) {
  const label = useStoreLabel(store);
  const { running, error, unlock } = useUnlock(store, onClose, onUnlocked);
  const [key, setKey] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (key === '' || running) return;
    if (!(await unlock(key))) field.current?.select();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Unlock ${label} for this session`}
      description="The server keeps the key in memory until it stops. It is never written to disk, and nothing in the store changes."
      initialFocus={field}
      locked={running}
      size="md"
      testId="unlock-dialog"
      phase={running ? 'applying' : 'ready'}
      footer={
        <>
          <span className="end" />
          <Button onClick={onClose} {...(running ? { disabledReason: 'Trying the key.' } : {})}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={id}
            variant="primary"
            disabledReason={key === '' ? 'Enter the key first.' : undefined}
          >
            {running ? 'Unlocking' : 'Unlock'}
          </Button>
        </>
      }
    >
      <form id={id} className="unlock-form" autoComplete="off" onSubmit={(event) => void submit(event)}>
        <label htmlFor={`${id}-key`}>Key</label>
        <span className="field">
          <input
            ref={field}
            id={`${id}-key`}
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={key}
            aria-describedby={`${id}-hint`}
            aria-invalid={error !== undefined}
            data-testid="unlock-key"
            onChange={(event) => setKey(event.target.value)}
          />
        </span>
        <p id={`${id}-hint`} className="small muted">
          The passphrase, or 64 hex digits for a raw key.
        </p>
        <div role="alert">
          {error && (
            <p className="unlock-error" data-testid="unlock-error" data-code={error.code}>
              <Icon of={CircleAlert} size={16} />
              <span>
                {error.message} <span className="muted">{error.remedy}</span>
              </span>
            </p>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/** Tries a key; true when it fits. A plain call, because a mutation would keep its variables in a cache. */
function useUnlock(store: string, onClose: () => void, onUnlocked: (() => void) | undefined) {
  const client = useQueryClient();
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<InspectorError>();
  const unlock = async (key: string): Promise<boolean> => {
    setRunning(true);
    setError(undefined);
    try {
      const info = await api.unlock(store, key);
      onClose();
      const left = info.notes?.find((note) => /\b(?:locked|do not open)\b/.test(note));
      showToast({
        title: `${info.label} is unlocked for this session.`,
        ...(left === undefined ? {} : { detail: left }),
      });
      await refresh(client, (queried) => touches(queried, store, undefined));
      onUnlocked?.();
      return true;
    } catch (thrown) {
      setError(InspectorError.from(thrown));
      return false;
    } finally {
      setRunning(false);
    }
  };
  return { running, error, unlock };
}
