import { X } from 'lucide-react';
import { toast, Toaster as Sonner } from 'sonner';
import { useShown } from '../lib/masking.ts';
import { IconButton } from './Button.tsx';
import 'sonner/dist/styles.css';

interface ToastContent {
  readonly title: string;
  readonly detail?: string;
}

/** Shows one message; only the newest is on the screen. */
export function showToast(content: ToastContent): void {
  toast.dismiss();
  toast.custom((id) => <Toast {...content} onClose={() => toast.dismiss(id)} />, { duration: 4000 });
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

export function Toaster() {
  return <Sonner position="bottom-center" visibleToasts={1} gap={8} offset={24} containerAriaLabel="Messages" />;
}
