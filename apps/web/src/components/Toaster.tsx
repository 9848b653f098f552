import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { toast, Toaster as Sonner } from 'sonner';
import 'sonner/dist/styles.css';
import { type Shown, useShown } from '../lib/masking.ts';
import { Button, IconButton } from './Button.tsx';

export interface ToastAction {
  readonly label: string;
  readonly onClick: () => void;
}

export interface ToastContent {
  readonly icon?: ReactNode;
  /** One sentence. */
  readonly title: ReactNode;
  /** One line of evidence. */
  readonly detail?: ReactNode;
  readonly actions?: readonly ToastAction[];
  /** Stays until dismissed or the next one. */
  readonly stays?: boolean;
  readonly testId?: string;
}

/** Shows one message; only the newest is on the screen. Returns its id for `dismissToast`. */
export function showToast(content: ToastContent): string | number {
  toast.dismiss();
  return toast.custom((id) => <Toast content={content} onClose={() => toast.dismiss(id)} />, {
    duration: content.stays ? Number.POSITIVE_INFINITY : 4000,
  });
}

export const dismissToast = (id: string | number): void => {
  toast.dismiss(id);
};

const maskedNode = (node: ReactNode, shown: Shown): ReactNode => (typeof node === 'string' ? shown(node) : node);

function Toast({ content, onClose }: { readonly content: ToastContent; readonly onClose: () => void }) {
  const shown = useShown();
  return (
    <div className="toast" data-testid={content.testId ?? 'toast'}>
      {content.icon}
      <div className="toast-text">
        <p className="strong">{maskedNode(content.title, shown)}</p>
        {content.detail !== undefined && <p className="muted">{maskedNode(content.detail, shown)}</p>}
      </div>
      {content.actions?.map((action) => (
        <Button
          key={action.label}
          onClick={() => {
            onClose();
            action.onClick();
          }}
        >
          {action.label}
        </Button>
      ))}
      <IconButton label="Dismiss" icon={X} onClick={onClose} />
    </div>
  );
}

export function Toaster() {
  return <Sonner position="bottom-center" visibleToasts={1} gap={8} offset={24} containerAriaLabel="Messages" />;
}
