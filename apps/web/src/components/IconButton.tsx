import clsx from 'clsx';
import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Icon } from './Icon.tsx';
import { Tooltip } from './Tooltip.tsx';

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  /** The accessible name, shown as tooltip. */
  readonly label: string;
  readonly icon: LucideIcon | ReactNode;
  readonly kbd?: string | undefined;
  readonly disabledReason?: string | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
}

const isShape = (icon: IconButtonProps['icon']): icon is LucideIcon =>
  typeof icon === 'function' || (typeof icon === 'object' && icon !== null && 'render' in icon);

export function IconButton({ label, icon, kbd, disabledReason, className, onClick, ...rest }: IconButtonProps) {
  const off = disabledReason !== undefined;
  return (
    <Tooltip text={off ? `${label}: ${disabledReason}` : label} kbd={kbd}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        {...(off ? { 'aria-disabled': true } : {})}
        className={clsx('btn ghost only-icon', off && 'off', className)}
        onClick={off ? (event) => event.preventDefault() : onClick}
      >
        {isShape(icon) ? <Icon of={icon} size={16} /> : icon}
      </button>
    </Tooltip>
  );
}
