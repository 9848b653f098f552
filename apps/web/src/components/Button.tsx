import { Link, type LinkProps } from '@tanstack/react-router';
import clsx from 'clsx';
import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Icon } from './Icon.tsx';
import { Kbd, Tooltip } from './Tooltip.tsx';

type Native = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'>;

interface ButtonProps extends Native {
  readonly variant?: 'default' | 'primary' | 'ghost';
  readonly size?: 'sm' | 'md' | 'lg';
  readonly icon?: LucideIcon;
  /** The key that does the same, shown in the button. */
  readonly kbd?: string | undefined;
  /** Why it cannot be used now: it keeps its place and says this on focus and hover. */
  readonly disabledReason?: string | undefined;
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  variant = 'default',
  size = 'md',
  icon,
  kbd,
  disabledReason,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const off = disabledReason !== undefined;
  const button = (
    <button
      type="button"
      {...rest}
      className={clsx('btn', variant !== 'default' && variant, size !== 'md' && size, off && 'off', className)}
      {...(off ? { 'aria-disabled': true } : {})}
      onClick={off ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon of={icon} />}
      {children}
      {kbd !== undefined && <Kbd>{kbd}</Kbd>}
    </button>
  );
  return off ? <Tooltip text={disabledReason}>{button}</Tooltip> : button;
}

interface LinkButtonProps {
  readonly to: NonNullable<LinkProps['to']>;
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}

/** The way to a page, drawn as a button. */
export function LinkButton({ to, icon, children }: LinkButtonProps) {
  return (
    <Link to={to} className="btn">
      {icon && <Icon of={icon} />}
      {children}
    </Link>
  );
}

interface IconButtonProps extends Native, Pick<ButtonProps, 'kbd' | 'disabledReason' | 'ref'> {
  /** The accessible name, shown as tooltip. */
  readonly label: string;
  readonly icon: LucideIcon | ReactNode;
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
