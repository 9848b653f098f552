import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement } from 'react';
import { useShown } from '../lib/masking.ts';
import { Kbd } from './Kbd.tsx';

interface TooltipProps {
  readonly text: string;
  readonly kbd?: string | undefined;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
  readonly children: ReactElement;
}

/** Says the name of an icon, or why a control is off, on hover and focus. */
export function Tooltip({ text, kbd, side = 'bottom', children }: TooltipProps) {
  const shown = useShown();
  return (
    <Radix.Provider delayDuration={350} skipDelayDuration={200}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content className="tooltip" side={side} sideOffset={6} collisionPadding={8}>
            {shown(text)}
            {kbd !== undefined && <Kbd>{kbd}</Kbd>}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
