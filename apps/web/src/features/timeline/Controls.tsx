import { type CheckpointMeta, sameRef } from '@checkpoint-inspector/core';
import { ChevronDown, Pause, Play, SkipBack, SkipForward } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Icon, IconButton, Menu } from '../../components/index.ts';
import { refOf } from '../../lib/address.ts';
import { clockRange, formatCount, formatDuration, formatTime, stepNumber } from '../../lib/format.ts';
import type { Workbench } from '../workbench/use-workbench.ts';

interface ControlsProps {
  readonly player: ReturnType<typeof usePlayer>;
  readonly selected: number;
  readonly count: number;
  /** What the highest bar is of. */
  readonly most: number | undefined;
  readonly go: (index: number) => void;
}

export function Controls({ player, selected, count, most = 0, go }: ControlsProps) {
  const { playing, speed, setSpeed, toggle } = player;
  return (
    <div className="timeline-controls" role="group" aria-label="Play">
      <IconButton
        label="Back one checkpoint"
        kbd=","
        icon={SkipBack}
        disabledReason={selected > 0 ? undefined : 'this is the first'}
        onClick={() => go(selected - 1)}
      />
      <IconButton
        className="timeline-play"
        label={playing ? 'Pause' : 'Play'}
        kbd="Space"
        icon={playing ? Pause : Play}
        disabledReason={count > 1 ? undefined : 'there is only one checkpoint'}
        onClick={toggle}
        data-testid="timeline-play"
      />
      <IconButton
        label="Forward one checkpoint"
        kbd="."
        icon={SkipForward}
        disabledReason={selected < count - 1 ? undefined : 'this is the last'}
        onClick={() => go(selected + 1)}
      />
      <Menu
        label="Speed"
        groups={[SPEEDS.map((one) => ({ label: `${one}×`, checked: one === speed, onSelect: () => setSpeed(one) }))]}
        trigger={
          <button type="button" className="btn ghost timeline-speed" aria-label={`Speed ${speed}×`}>
            {speed}×
            <Icon of={ChevronDown} size={12} />
          </button>
        }
      />
      <span className="timeline-legend" aria-hidden="true">
        Changes per step
        <br />
        {most > 0 && `at most ${formatCount(most)}`}
      </span>
    </div>
  );
}

export function RangeWords({ bench }: { readonly bench: Workbench }) {
  const { meta, baseMeta } = bench;
  if (!meta) return <div className="timeline-words" />;
  const took = baseMeta && spanOf(baseMeta, meta);
  const isSame = baseMeta !== undefined && sameRef(refOf(baseMeta), refOf(meta));
  const times = timesOf(isSame ? [meta] : [baseMeta, meta]);
  return (
    <div className="timeline-words small" data-testid="timeline-words">
      <p>
        {baseMeta && (
          <>
            <b className="data-small">{stepNumber(baseMeta)}</b> <span aria-hidden="true">→</span>
            <span className="sr-only">to</span>{' '}
          </>
        )}
        <b className="data-small">{stepNumber(meta)}</b>{' '}
        {isSame ? 'same checkpoint' : `selected${took === undefined ? '' : `, ${took}`}`}
      </p>
      <p className="muted cut" title={times.join(' to ')}>
        {clockRange(times)}
      </p>
    </div>
  );
}

/** The earlier first: a base may have been saved after its target. */
export const timesOf = (metas: readonly (Pick<CheckpointMeta, 'createdAt'> | undefined)[]): readonly string[] =>
  metas
    .flatMap((meta) => meta?.createdAt ?? [])
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))
    .map(formatTime);

/** Only where both times are known for sure. */
function spanOf(from: CheckpointMeta, to: CheckpointMeta): string | undefined {
  if (from.createdAt === undefined || to.createdAt === undefined) return undefined;
  const ms = Date.parse(to.createdAt) - Date.parse(from.createdAt);
  return Number.isNaN(ms) ? undefined : formatDuration(Math.abs(ms));
}

// Playing a history through: the selection steps on by itself, nothing else moves.

const SPEEDS = [0.5, 1, 2, 4] as const;
type Speed = (typeof SPEEDS)[number];

/** At 1×. */
const STEP_MS = 1000;

interface Played {
  /** The selected place, -1 for none. */
  readonly index: number;
  readonly count: number;
  readonly go: (index: number) => void;
}

/** Stops at the end, when the reader selects something else, and waits while a dialog is open. */
export function usePlayer({ index, count, go }: Played) {
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const expected = useRef(index);
  const latest = useRef({ index, count, go });
  latest.current = { index, count, go };
  const seen = useRef(index);
  useEffect(() => {
    if (index === seen.current) return;
    seen.current = index;
    if (index !== expected.current) setPlaying(false);
  }, [index]);
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setInterval(() => {
      if (document.querySelector('[role="dialog"]') !== null) return;
      const { index: here, count: all, go: to } = latest.current;
      // What was asked for does not exist yet: no step is left out.
      if (here !== expected.current) return;
      if (here < all - 1) {
        expected.current = here + 1;
        to(here + 1);
      }
      if (here + 1 >= all - 1) setPlaying(false);
    }, STEP_MS / speed);
    return () => clearInterval(timer);
  }, [playing, speed]);
  /** From the end it begins again. */
  const toggle = (): void => {
    if (playing) return setPlaying(false);
    if (count < 2) return;
    const start = index >= count - 1 ? 0 : index;
    expected.current = start;
    if (start !== index) go(start);
    setPlaying(true);
  };
  return { playing, speed, setSpeed, toggle };
}
