import { type RefObject, useEffect } from 'react';
import { Button } from '../../components/index.ts';

interface ConfirmButtonsProps {
  readonly cancel: RefObject<HTMLButtonElement | null>;
  /** It ended without a change: there is nothing to cancel any more. */
  readonly over: boolean;
  readonly applying: boolean;
  readonly label: string;
  readonly reason: string | undefined;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  /** Where it may end without a change. */
  readonly onAgain?: () => void;
  readonly testId?: string;
}

/** The buttons of every dialog that changes a store: Cancel has the focus, and no bare key confirms. */
export function ConfirmButtons(props: ConfirmButtonsProps) {
  const { cancel, over, applying, label, reason, onClose, onConfirm, onAgain, testId = 'confirm-change' } = props;
  return (
    <div className="change-buttons">
      <Button
        ref={cancel}
        size="lg"
        className={applying ? 'off' : undefined}
        aria-disabled={applying}
        onClick={applying ? undefined : onClose}
      >
        {over ? 'Close' : 'Cancel'}
      </Button>
      {over ? (
        <Button size="lg" onClick={onAgain}>
          New preview
        </Button>
      ) : (
        <Button
          size="lg"
          variant="primary"
          kbd={applying ? undefined : 'Ctrl ↵'}
          aria-busy={applying}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          data-testid={testId}
          onKeyDown={(event) => {
            // A bare Enter or Space on the button would confirm; only a click or Ctrl+Enter does.
            if (!event.ctrlKey && !event.metaKey && (event.key === 'Enter' || event.key === ' '))
              event.preventDefault();
          }}
          onClick={onConfirm}
          disabledReason={reason}
        >
          {label}
        </Button>
      )}
    </div>
  );
}

/** Ctrl+Enter confirms wherever the focus is in the dialog; no other key does. */
export function useConfirmKeys(confirm: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || event.repeat || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      confirm();
    };
    document.addEventListener('keydown', listen, true);
    return () => document.removeEventListener('keydown', listen, true);
  }, [confirm]);
}
