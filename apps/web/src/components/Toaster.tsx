import { X } from 'lucide-react';
import { useShown } from '../lib/masking.ts';
import { IconButton } from './Button.tsx';
import { showMessage } from './toast.ts';

interface ToastContent {
  readonly title: string;
  readonly detail?: string;
}

const TOAST_MS = 4000;

/** Shows one message; only the newest is on the screen. */
export function showToast(content: ToastContent): void {
  showMessage({ render: (close) => <Toast {...content} onClose={close} />, durationMs: TOAST_MS });
}

function Toast({ title, detail, onClose }: ToastContent & { readonly onClose: () => void }) {
  const shown = useShown();
  return (
    <div className="toast" data-testid="toast">
      <div className="toast-text">
        <p className="strong">{shown(title)}</p>
        {detail !== undefined && <p className="muted">{shown(detail)}</p>}
      </div>
      <IconButton label="Dismiss" icon={X} onClick={onClose} />
    </div>
  );
}
