import { ChevronDown, ChevronUp, Search } from 'lucide-react';
import { useRef } from 'react';
import { useKeys } from '../lib/keys.ts';
import { IconButton } from './Button.tsx';
import { TextField } from './TextField.tsx';

type Step = (by: 1 | -1) => void;

interface FindFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** To the next or the previous match: Enter and Shift+Enter in the field, n and N elsewhere. */
  readonly onStep?: Step;
  readonly className: string;
  readonly testId: string;
}

/** Finds in what is on the page: `/` and Ctrl+f lead to it, Escape leaves it. */
export function FindField({ onStep, ...field }: FindFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useKeys({
    '/': () => input.current?.focus(),
    'Ctrl+f': () => input.current?.select(),
    ...(onStep && { n: () => onStep(1), N: () => onStep(-1) }),
  });
  return (
    <TextField
      ref={input}
      icon={Search}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onStep?.(event.shiftKey ? -1 : 1);
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
      {...field}
    />
  );
}

interface MatchesProps {
  /** Which match of how many. */
  readonly said: string;
  readonly onStep: Step;
  readonly testId?: string;
}

/** Beside a field with words in it. */
export function Matches({ said, onStep, testId }: MatchesProps) {
  return (
    <>
      <span className="small muted" role="status" data-testid={testId}>
        {said}
      </span>
      <IconButton label="Previous match" kbd="N" icon={ChevronUp} onClick={() => onStep(-1)} />
      <IconButton label="Next match" kbd="n" icon={ChevronDown} onClick={() => onStep(1)} />
    </>
  );
}
