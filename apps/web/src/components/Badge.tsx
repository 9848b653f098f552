import clsx from 'clsx';
import { ChevronDown, ChevronRight, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './Icon.tsx';

interface BadgeProps {
  /** plain: a fact; solid: `latest`; accent: `base`; quiet: a count; warn and bad: a problem, with an icon. */
  readonly tone?: 'plain' | 'solid' | 'accent' | 'quiet' | 'warn' | 'bad';
  readonly icon?: LucideIcon;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

export function Badge({ tone = 'plain', icon, title, children }: BadgeProps) {
  return (
    <span className={clsx('badge', tone !== 'plain' && tone)} title={title}>
      {icon && <Icon of={icon} size={12} />}
      {children}
    </span>
  );
}

export type BadgeFact = BadgeProps & { readonly children: string };

interface BadgesProps {
  /** In the order of their weight; `false` where one does not apply. */
  readonly facts: readonly (BadgeFact | false)[];
  readonly most: number;
  /** Icons alone where there is one: the words are for whoever points at it or hears the page. */
  readonly brief?: boolean;
}

export function Badges({ facts, most, brief = false }: BadgesProps) {
  const applying = facts.filter((fact) => fact !== false).slice(0, most);
  return applying.map((fact, place) => {
    const { children, title } = fact;
    if (!brief || fact.icon === undefined) return <Badge key={`${place} ${children}`} {...fact} />;
    return (
      <Badge key={`${place} ${children}`} {...fact} title={title === undefined ? children : `${children}: ${title}`}>
        <span className="sr-only">{children}</span>
      </Badge>
    );
  });
}

interface FoldProps {
  readonly name: ReactNode;
  /** One line of what is inside, while it is closed. */
  readonly preview: string;
  readonly open: boolean;
  readonly onToggle: () => void;
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
