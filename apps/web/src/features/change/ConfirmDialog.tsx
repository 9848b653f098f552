import clsx from 'clsx';
import { type LucideIcon, Undo2 } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { Button, Dialog, Icon } from '../../components/index.ts';
import './change.css';

interface ConfirmDialogProps extends Omit<ConfirmButtonsProps, 'cancel'> {
  readonly title: string;
  readonly description: string;
  readonly testId: string;
  /** What it is doing: computing, ready, applying, and so on. */
  readonly phase: string;
  /** Told to screen readers. */
  readonly said?: string;
  /** Beside the buttons: what can be undone. */
  readonly promise: string | undefined;
  readonly promiseIcon?: LucideIcon;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Every dialog that changes a store: Cancel has the focus, no bare key confirms, and while it applies it stays open. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, testId, phase, said, promise, promiseIcon = Undo2, children, ...buttons } = props;
  const { applying, onClose, onConfirm } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  useConfirmKeys(onConfirm);
  useEffect(() => {
    // A button that had the focus may be gone in the new state: Cancel takes it, never the primary one.
    if (document.activeElement === document.body || document.activeElement?.getAttribute('role') === 'dialog')
      cancel.current?.focus();
  }, [phase]);
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={title}
      description={description}
      initialFocus={cancel}
      locked={applying}
      testId={testId}
      phase={phase}
      footer={
        <div className="change-foot">
          {promise !== undefined && (
            <p className="change-undo">
              <Icon of={promiseIcon} />
              <span>{promise}</span>
            </p>
          )}
          <ConfirmButtons {...buttons} cancel={cancel} />
        </div>
      }
    >
      <div className={clsx('change-body', props.className)} aria-busy={applying || phase === 'computing'}>
        {said !== undefined && (
          <p className="sr-only" role="status">
            {said}
          </p>
        )}
        {children}
      </div>
    </Dialog>
  );
}

interface ConfirmButtonsProps {
  readonly cancel: RefObject<HTMLButtonElement | null>;
  /** It ended without a change: there is nothing to cancel any longer. */
  readonly over?: boolean;
  readonly applying: boolean;
  readonly label: string;
  readonly reason: string | undefined;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  /** Where it may end without a change. */
  readonly onAgain?: () => void;
}

function ConfirmButtons(props: ConfirmButtonsProps) {
  const { cancel, over = false, applying, label, reason, onClose, onConfirm, onAgain } = props;
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
        onAgain && (
          <Button size="lg" onClick={onAgain}>
            New preview
          </Button>
        )
      ) : (
        <Button
          size="lg"
          variant="primary"
          kbd={applying ? undefined : 'Ctrl ↵'}
          aria-busy={applying}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          data-testid="confirm-change"
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
  // With the drawing itself: a key pressed as soon as the preview is seen must meet that preview.
  useLayoutEffect(() => {
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
