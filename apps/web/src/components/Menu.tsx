import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactElement } from 'react';
import { useShown } from '../lib/masking.ts';
import { Icon } from './Icon.tsx';
import { Kbd } from './Button.tsx';

export interface MenuItem {
  readonly label: string;
  readonly detail?: string | undefined;
  readonly icon?: LucideIcon;
  readonly kbd?: string;
  readonly checked?: boolean;
  readonly disabledReason?: string | undefined;
  readonly onSelect: () => void;
}

interface MenuProps {
  readonly trigger: ReactElement;
  /** Groups are divided by a line. */
  readonly groups: readonly (readonly MenuItem[])[];
  readonly label?: string;
  readonly align?: 'start' | 'end';
}

export function Menu({ trigger, groups, label, align = 'start' }: MenuProps) {
  const shown = groups.filter((group) => group.length > 0);
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" align={align} sideOffset={4} collisionPadding={8} aria-label={label}>
          {label !== undefined && <Radix.Label className="menu-label">{label}</Radix.Label>}
          {shown.map((group, index) => (
            <Radix.Group key={group[0]?.label ?? index}>
              {index > 0 && <Radix.Separator className="menu-line" />}
              {group.map((item, place) => (
                <MenuRow key={`${item.label} ${place}`} item={item} />
              ))}
            </Radix.Group>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function MenuRow({ item }: { readonly item: MenuItem }) {
  const shown = useShown();
  const more = item.disabledReason ?? item.detail;
  return (
    <Radix.Item
      className="menu-item"
      disabled={item.disabledReason !== undefined}
      onSelect={item.onSelect}
      {...(item.checked === undefined ? {} : { role: 'menuitemradio', 'aria-checked': item.checked })}
    >
      {item.icon ? (
        <Icon of={item.icon} />
      ) : (
        item.checked !== undefined && <span className="menu-check">{item.checked && <Icon of={Check} />}</span>
      )}
      <span className="menu-text">
        {shown(item.label)}
        {more !== undefined && <small>{shown(more)}</small>}
      </span>
      {item.kbd !== undefined && <Kbd>{item.kbd}</Kbd>}
    </Radix.Item>
  );
}
