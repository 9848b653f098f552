/** In a comparison over several steps: the step that made each change. */
import { type Address, type CheckpointRef, type Difference, formatAddress } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { createContext, type KeyboardEvent, type ReactNode, useContext, useMemo } from 'react';
import type { StepsAnswer } from '../../lib/api.ts';
import { NOWHERE } from '../../lib/address.ts';
import { plural, stepNumber } from '../../lib/format.ts';
import { useRested } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { stepsQuery } from '../../lib/queries.ts';
import { clickInRow } from './DiffValue.tsx';

/** What is known of the row of a change, and the way to the step. */
interface Made {
  readonly last: StepsAnswer['steps'][number];
  /** Numbers of all that changed it, the newest first. */
  readonly numbers: readonly string[];
  readonly count: number;
}

export type OpenStep = (ref: CheckpointRef, path: string) => void;

interface Known {
  readonly made: ReadonlyMap<string, Made>;
  readonly onOpen: OpenStep;
}

const Steps = createContext<Known | undefined>(undefined);

const keyOf = ({ kind, path }: Pick<Difference, 'kind' | 'path'>): string => `${kind} ${path}`;

/** By its row, which step made a change. @example madeBySteps(answer).get('changed $.a')?.last.seq */
export function madeBySteps({ items, steps }: StepsAnswer): ReadonlyMap<string, Made> {
  const made = new Map<string, Made>();
  for (const item of items) {
    const own = item.at.flatMap((index) => steps[index] ?? []);
    const [last] = own;
    if (last) made.set(keyOf(item), { last, numbers: own.map((step) => stepNumber(step)), count: item.count });
  }
  return made;
}

interface StepsBehindProps {
  /** Absent where both sides are one step apart: then there is nothing to tell. */
  readonly pair: { readonly a: Address; readonly b: Address } | undefined;
  readonly rules: readonly string[] | undefined;
  readonly onOpen: OpenStep;
  readonly children: ReactNode;
}

const REST_MS = 300;

/** The rows inside have a column for the step, from the beginning on. */
export function StepsBehind({ pair, rules, onOpen, children }: StepsBehindProps) {
  // Stepping quickly, or a change that takes one side away, asks for none; nor does the first showing.
  const asked = pair === undefined ? '' : `${formatAddress(pair.a)} ${formatAddress(pair.b)}`;
  const rested = useRested(asked, REST_MS, '') === asked;
  const { data } = useQuery({
    ...stepsQuery(pair?.a ?? NOWHERE, pair?.b ?? NOWHERE, rules),
    enabled: pair !== undefined && rested,
  });
  const made = useMemo(() => (data ? madeBySteps(data) : new Map<string, Made>()), [data]);
  const isShown = pair !== undefined && data?.onLine !== false && data?.of !== 1;
  const known = useMemo(() => (isShown ? { made, onOpen } : undefined), [isShown, made, onOpen]);
  return (
    <Steps.Provider value={known}>
      <div className={isShown ? 'steps-behind' : 'steps-none'} data-state={data ? 'ready' : 'loading'}>
        {children}
      </div>
    </Steps.Provider>
  );
}

/** `#07 fetch_revenue`. No button: a row of a list box can contain none; Enter opens it. */
export function MadeBy({ item }: { readonly item: Difference }) {
  const known = useContext(Steps);
  const shown = useShown();
  if (known === undefined) return null;
  const made = known.made.get(keyOf(item));
  if (made === undefined) return <span className="diff-step" />;
  const { last, numbers, count } = made;
  const name = last.description ?? '';
  const others = count > 1 ? `. ${plural(count, 'step')} changed it: ${numbers.toReversed().join(', ')}` : '';
  return (
    <span
      role="presentation"
      className="diff-step"
      data-testid="diff-step"
      title={`${shown(`Last changed in ${stepNumber(last)} ${name}`.trimEnd())}${others}`}
    >
      <span
        role="presentation"
        className="diff-step-open"
        onClick={(event) => {
          event.stopPropagation();
          known.onOpen(last.ref, item.path);
        }}
      >
        <b>{stepNumber(last)}</b>
        {name !== '' && <span className="diff-step-name">{shown(name)}</span>}
      </span>
      {count > 1 && <span className="diff-step-more">+{count - 1}</span>}
    </span>
  );
}

export const openStep = (event: KeyboardEvent<HTMLElement>): boolean => clickInRow(event, '.diff-step-open');

/** Above the column. */
export function StepHead() {
  return useContext(Steps) === undefined ? null : <span>Changed in</span>;
}
