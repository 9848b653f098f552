import {
  cloneElement,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type Ref,
  useId,
  useRef,
  useState,
} from 'react';
import type { MenuItem } from './MenuPanel.tsx';
import { onDemand } from './on-demand.tsx';

const MenuPanel = onDemand(async () => (await import('./MenuPanel.tsx')).MenuPanel);

/** Fetches what an opened menu needs. */
export const preloadMenus = MenuPanel.preload;

interface Trigger {
  readonly id?: string;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly onClick?: (event: MouseEvent<HTMLButtonElement>) => void;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLButtonElement>) => void;
  readonly onPointerEnter?: () => void;
  readonly 'aria-haspopup'?: 'menu';
  readonly 'aria-expanded'?: boolean;
  readonly 'data-state'?: string;
}

export type { MenuItem } from './MenuPanel.tsx';

interface MenuProps {
  readonly trigger: ReactElement<Trigger>;
  /** Groups are divided by a line. */
  readonly groups: readonly (readonly MenuItem[])[];
  readonly label?: string | undefined;
  readonly align?: 'start' | 'end';
}

export function Menu({ trigger, groups, label, align = 'start' }: MenuProps) {
  const shown = groups.filter((group) => group.length > 0);
  const ownId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState<{ readonly by: HTMLElement; readonly byKey: boolean }>();
  const open = (byKey: boolean): void => {
    if (button.current) setOpened({ by: button.current, byKey });
  };
  const control = cloneElement(trigger, {
    id: trigger.props.id ?? ownId,
    ref: button,
    'aria-haspopup': 'menu',
    'aria-expanded': opened !== undefined,
    'data-state': opened === undefined ? 'closed' : 'open',
    onPointerEnter: preloadMenus,
    // A key's click has no pointer behind it.
    onClick: ({ detail }) => (opened === undefined ? open(detail === 0) : setOpened(undefined)),
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown' || opened !== undefined) return;
      event.preventDefault();
      open(true);
    },
  });
  return (
    <>
      {control}
      {opened && (
        <MenuPanel
          trigger={opened.by}
          byKey={opened.byKey}
          groups={shown}
          label={label}
          align={align}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}
