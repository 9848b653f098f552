import type { Address, CheckpointRef } from '@checkpoint-inspector/core';
import { ChevronLeft, Search } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import type { TaskPlace } from '../../lib/address.ts';
import { useStoreLabel } from '../../lib/queries.ts';
import { Icon, TextField } from '../../components/index.ts';
import { showId } from '../../lib/format.ts';
import { CheckpointList, TaskList } from './PickerLists.tsx';
import './compare.css';

interface CheckpointPickerProps {
  readonly label: string;
  readonly trigger: ReactElement;
  readonly store?: string;
  /** The task whose checkpoints are offered first. */
  readonly start?: TaskPlace | undefined;
  readonly chosen?: Address | undefined;
  readonly onPick: (store: string, ref: CheckpointRef) => void;
  /** A choice that is not a checkpoint, above the list; closes when it is made. */
  readonly before?: ((close: () => void) => ReactNode) | undefined;
}

/** Any checkpoint of any task: first the task, then one of all its checkpoints, each found by typing. */
export function CheckpointPicker({ label, trigger, start, onPick, before, ...rest }: CheckpointPickerProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>{trigger}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="menu picker"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          data-testid="picker"
        >
          {before?.(() => setOpen(false))}
          <Choice
            {...rest}
            start={start}
            onPick={(store, ref) => {
              setOpen(false);
              onPick(store, ref);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

type ChoiceProps = Pick<CheckpointPickerProps, 'store' | 'start' | 'chosen' | 'onPick'>;

function Choice({ store, start, chosen, onPick }: ChoiceProps) {
  const [place, setPlace] = useState(start);
  const [text, setText] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  /** Set by the list in view: what Enter in the field chooses. */
  const first = useRef<() => void>(() => undefined);
  const goTo = (next: TaskPlace | undefined): void => {
    setPlace(next);
    setText('');
    field.current?.focus();
  };
  const label = useStoreLabel(place?.store ?? '');
  return (
    <div ref={box}>
      {place && (
        <button type="button" className="picker-place" onClick={() => goTo(undefined)}>
          <Icon of={ChevronLeft} />
          <span className="muted">{label}</span>
          <b className="cut">{showId(place.task)}</b>
        </button>
      )}
      <TextField
        ref={field}
        autoFocus
        icon={Search}
        className="picker-field"
        label={place ? 'Number, name, id or status' : 'Task'}
        value={text}
        onChange={setText}
        onKeyDown={(event) => {
          if (event.key === 'Enter') first.current();
          else if (event.key === 'ArrowDown') box.current?.querySelector<HTMLElement>('[role="listbox"]')?.focus();
          else if (event.key === 'Backspace' && text === '' && place) goTo(undefined);
          else return;
          event.preventDefault();
        }}
      />
      {place ? (
        <CheckpointList
          {...place}
          text={text}
          chosen={chosen}
          first={first}
          onPick={(ref) => onPick(place.store, ref)}
        />
      ) : (
        <TaskList store={store} text={text} first={first} onPick={goTo} />
      )}
    </div>
  );
}
