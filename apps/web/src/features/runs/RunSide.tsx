import { formatAddress, laneTitle, type RunAddress } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { Badge, Button, Icon, StatusIcon } from '../../components/index.ts';
import { toAddress } from '../../lib/address.ts';
import type { RunSide as Side } from '../../lib/api.ts';
import { clockRange, formatTime, plural, showId } from '../../lib/format.ts';
import { lanesQuery } from '../../lib/lanes-query.ts';
import { useShown } from '../../lib/masking.ts';
import { useStoreLabel } from '../../lib/queries.ts';
import { CheckpointPicker } from '../compare/CheckpointPicker.tsx';

interface SideProps {
  readonly name: 'A' | 'B';
  readonly at: RunAddress | undefined;
  readonly side: Side | undefined;
  /** The other run is one of the same task: then the lane is what tells them apart. */
  readonly isOneTask: boolean;
  readonly onPick: (address: string) => void;
}

/** Which run it is, how it ended, and the way to another one. */
export function RunSide({ name, at, side, isOneTask, onPick }: SideProps) {
  return (
    <section className="compare-end run-side" aria-label={`Run ${name}`} data-testid={`run-${name.toLowerCase()}`}>
      <div className="flex">
        <span className="compare-letter" aria-hidden="true">
          {name}
        </span>
        <CheckpointPicker
          label={`Choose the end of run ${name}`}
          start={at && { store: at.store, task: at.task }}
          chosen={at?.id === undefined ? undefined : toAddress(at.store, { ...at, id: at.id })}
          onPick={(store, ref) => onPick(formatAddress(toAddress(store, ref)))}
          trigger={
            <Button variant="ghost" className="compare-pick" title={`Choose run ${name}`}>
              <span className="sr-only">{name}: </span>
              {at === undefined ? 'Choose a run' : <Name at={at} side={side} isOneTask={isOneTask} />}
              <Icon of={ChevronDown} size={12} />
            </Button>
          }
        />
        {side && (
          <span className="flex compare-status">
            <StatusIcon status={side.status} size={14} word />
            {side.isLatest && <Badge tone="solid">latest</Badge>}
          </span>
        )}
      </div>
      {side && <Facts side={side} isOneTask={isOneTask} />}
    </section>
  );
}

interface NameProps {
  readonly at: RunAddress;
  readonly side: Side | undefined;
  readonly isOneTask: boolean;
}

function Name({ at, side, isOneTask }: NameProps) {
  const lane = useLaneName(side, isOneTask);
  return <span className="compare-name cut">{isOneTask && lane !== undefined ? lane : showId(at.task)}</span>;
}

/** By what differs, as in the tree; until that is known, by its label. */
function useLaneName(side: Side | undefined, isOneTask: boolean): string | undefined {
  const shown = useShown();
  const { data } = useQuery({
    ...lanesQuery(side?.store ?? '', side?.task ?? ''),
    enabled: side !== undefined && isOneTask,
  });
  const lane = data?.items.find((one) => one.lane === side?.lane);
  if (lane === undefined || lane.lane === 'main' || (lane.differences ?? []).length === 0) return side?.lane;
  return shown(laneTitle(lane));
}

function Facts({ side, isOneTask }: { readonly side: Side; readonly isOneTask: boolean }) {
  const shown = useShown();
  const store = useStoreLabel(side.store);
  const times = [side.startedAt, side.endedAt].flatMap((time) => (time === undefined ? [] : formatTime(time)));
  const place = isOneTask ? plural(side.steps, 'step') : `${store} · ${side.lane} · ${plural(side.steps, 'step')}`;
  return (
    <div className="run-facts small">
      {side.error !== undefined && <p className="run-error">{shown(side.error)}</p>}
      <p className="muted">{[place, clockRange(times)].filter(Boolean).join(' · ')}</p>
    </div>
  );
}
