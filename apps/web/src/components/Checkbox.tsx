import { Check } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
import { useId, type ReactNode } from 'react';
import { Icon } from './Icon.tsx';
import { Kbd } from './Kbd.tsx';

interface CheckboxProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
  readonly kbd?: string;
  readonly testId?: string;
}

export function Checkbox({ checked, onChange, children, kbd, testId }: CheckboxProps) {
  const id = useId();
  return (
    <span className="checkbox">
      <Radix.Root
        id={id}
        className="check"
        checked={checked}
        onCheckedChange={(next) => onChange(next === true)}
        data-testid={testId}
      >
        <Radix.Indicator>
          <Icon of={Check} size={12} />
        </Radix.Indicator>
      </Radix.Root>
      <label htmlFor={id}>{children}</label>
      {kbd !== undefined && <Kbd>{kbd}</Kbd>}
    </span>
  );
}
