import { Check, type LucideIcon, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type Ref, useId } from 'react';
import { Icon } from './Icon.tsx';
import { Kbd } from './Tooltip.tsx';

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
      <button
        type="button"
        role="checkbox"
        id={id}
        className="check"
        aria-checked={checked}
        data-state={checked ? 'checked' : 'unchecked'}
        onClick={() => onChange(!checked)}
        // The space bar alone changes a checkbox.
        onKeyDown={(event) => (event.key === 'Enter' ? event.preventDefault() : undefined)}
        data-testid={testId}
      >
        {checked && <Icon of={Check} size={12} />}
      </button>
      <label htmlFor={id}>{children}</label>
      {kbd !== undefined && <Kbd>{kbd}</Kbd>}
    </span>
  );
}
