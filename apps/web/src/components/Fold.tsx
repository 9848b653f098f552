import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './Icon.tsx';

interface FoldProps {
  readonly name: ReactNode;
  /** One line of what is inside, while it is closed. */
  readonly preview: string;
  readonly open: boolean;
  readonly onToggle: () => void;
  /** The whole, as text. */
  readonly children: string;
}

/** Data behind its name: one line until it is opened. */
export function Fold({ name, preview, open, onToggle, children }: FoldProps) {
  return (
    <div className="fold">
      <button type="button" aria-expanded={open} onClick={onToggle}>
        <Icon of={open ? ChevronDown : ChevronRight} size={12} />
        <b>{name}</b>
        {!open && <span className="muted cut">{preview}</span>}
      </button>
      {open && <pre>{children}</pre>}
    </div>
  );
}
