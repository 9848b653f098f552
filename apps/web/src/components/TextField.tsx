import { Check, type LucideIcon, X } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, type Ref, useId } from 'react';
import { Icon } from './Icon.tsx';
import { Kbd } from './Button.tsx';

interface TextFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The accessible name; also the placeholder. */
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  readonly after?: ReactNode;
  readonly className?: string;
  readonly testId?: string;
  /** A field that a person just opened is where they want to type. */
  readonly autoFocus?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
}

export function TextField({ value, onChange, label, icon, after, className, testId, ...input }: TextFieldProps) {
  return (
    <span className={`field ${className ?? ''}`}>
      {icon && <Icon of={icon} />}
      <input
        type="text"
        value={value}
        placeholder={label}
        aria-label={label}
        spellCheck={false}
        autoComplete="off"
        data-testid={testId}
        onChange={(event) => onChange(event.target.value)}
        {...input}
      />
      {after}
      {value !== '' && (
        <button type="button" className="field-clear" aria-label="Clear" onClick={() => onChange('')}>
          <Icon of={X} size={12} />
        </button>
      )}
    </span>
  );
}

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
