import clsx from 'clsx';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './Icon.tsx';

export interface BadgeProps {
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
