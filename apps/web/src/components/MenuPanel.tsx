import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useShown } from '../lib/masking.ts';
import { Icon } from './Icon.tsx';
import { Kbd } from './Tooltip.tsx';

export interface MenuItem {
  readonly label: string;
  readonly detail?: string | undefined;
  readonly icon?: LucideIcon;
  readonly kbd?: string;
  readonly checked?: boolean;
  readonly disabledReason?: string | undefined;
  readonly onSelect: () => void;
}

interface MenuPanelProps {
  readonly groups: readonly (readonly MenuItem[])[];
  readonly label?: string | undefined;
  readonly align?: 'start' | 'end';
  readonly trigger: HTMLElement;
  /** Opened by a key: the first row has the focus. */
  readonly byKey: boolean;
  readonly onClose: () => void;
}

/** The opened menu. Its code is fetched apart from its trigger's, which is on the first screen. */
export function MenuPanel({ trigger, byKey, groups, label, align = 'start', onClose }: MenuPanelProps) {
  const anchor = useRef<HTMLSpanElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const leftByPointer = useRef(false);
  useLayoutEffect(() => {
    const { left, top, width, height } = trigger.getBoundingClientRect();
    const at = { left, top, width, height };
    for (const [name, value] of Object.entries(at)) anchor.current?.style.setProperty(name, `${value}px`);
  }, [trigger]);
  useEffect(() => {
    if (!byKey) return undefined;
    const frame = requestAnimationFrame(() => rows.current?.querySelector<HTMLElement>('.menu-item')?.focus());
    return () => cancelAnimationFrame(frame);
  }, [byKey]);
  return (
    <Radix.Root open modal={false} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Trigger asChild>
        <span ref={anchor} className="menu-anchor" aria-hidden="true" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          ref={rows}
          className="menu"
          align={align}
          sideOffset={4}
          collisionPadding={8}
          aria-labelledby={trigger.id}
          {...(label === undefined ? {} : { 'aria-label': label, 'aria-labelledby': undefined })}
          onInteractOutside={(event) => {
            leftByPointer.current = true;
            // Its own click closes the menu.
            if (event.target instanceof Node && trigger.contains(event.target)) event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (!leftByPointer.current) trigger.focus();
          }}
        >
          {label !== undefined && <Radix.Label className="menu-label">{label}</Radix.Label>}
          {groups.map((group, index) => (
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
