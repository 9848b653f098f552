import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import clsx from 'clsx';
import { useRef, type ReactNode, type RefObject } from 'react';
import { useShown } from '../lib/masking.ts';
import { Icon } from './Icon.tsx';

interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** The act and its object: "Restore #06 as latest". */
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  readonly footer?: ReactNode;
  /** What has the focus at first: the safe answer. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
  /** While something is under way there is no closing. */
  readonly locked?: boolean;
  readonly size?: 'md' | 'lg';
  readonly testId?: string;
  /** What the dialog is doing, for tests: computing, ready, applying. */
  readonly phase?: string;
}

/** A modal dialog: head, scrolling body, footer. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, children, footer, initialFocus, locked = false, size = 'lg' } = props;
  const shown = useShown();
  const opener = useRef<Element>(null);
  const keepOpen = (event: Event): void => {
    if (locked) event.preventDefault();
  };
  return (
    <Radix.Root open={open} onOpenChange={(next) => (next || !locked ? onOpenChange(next) : undefined)}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          className={clsx('dialog', size)}
          data-testid={props.testId}
          data-phase={props.phase}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          // Most dialogs are opened by code and have no trigger of their own to go back to.
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
          onEscapeKeyDown={keepOpen}
          onPointerDownOutside={keepOpen}
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement;
            if (!initialFocus?.current) return;
            event.preventDefault();
            initialFocus.current.focus();
          }}
        >
          <header className="dialog-head">
            <Radix.Title className="dialog-title">{typeof title === 'string' ? shown(title) : title}</Radix.Title>
            {!locked && (
              <Radix.Close className="btn ghost only-icon" aria-label="Close">
                <Icon of={X} size={16} />
              </Radix.Close>
            )}
            {description !== undefined && (
              <Radix.Description className="dialog-description">{description}</Radix.Description>
            )}
          </header>
          <div className="dialog-body">{children}</div>
          {footer !== undefined && <footer className="dialog-foot">{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
