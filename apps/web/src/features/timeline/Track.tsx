import type { ForkTree } from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { type KeyboardEvent, memo, type PointerEvent, useMemo, useRef, useState } from 'react';
import { STATUS_WORDS } from '../../components/index.ts';
import { formatCount, formatTime, plural, stepNumber } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { clockMarks } from './axis.ts';
import { barPath, type Drawing, drawingOf, labelsOf, type Scale, scaleOf, ticksOf } from './geometry.ts';
import { indexAt, slotOf, type StepFact, type TimelineModel } from './model.ts';

interface TrackProps {
  readonly model: TimelineModel;
  readonly tree: ForkTree;
  readonly facts: ReadonlyMap<number, StepFact>;
  readonly width: number;
  readonly slim: boolean;
  /** Places in save order; -1 for none. */
  readonly selected: number;
  readonly base: number;
  /** The step after it failed and left no checkpoint; -1 for none. */
  readonly unsaved: number;
  readonly onSelect: (index: number) => void;
  readonly onRange: (first: number, last: number) => void;
}

const PAGE = 10;

/** The line itself: a slider over the checkpoints in save order; drawing a range sets base and target. */
export function Track(props: TrackProps) {
  const { model, tree, facts, width, slim, selected, base, onSelect, onRange } = props;
  const { count, slots } = model;
  const shown = useShown();
  const room = !slim && props.unsaved >= 0 ? UNSAVED_ROOM : 0;
  const scale = useMemo(() => scaleOf(model, width - room, slim), [model, width, room, slim]);
  const drawing = useMemo(() => drawingOf(model, scale), [model, scale]);
  const drag = useDrag({ count, along: scale.along, onSelect, onRange });
  const [hover, setHover] = useState<number>();
  const words = (index: number): string => wordsOf(tree, facts.get(index), index, shown);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') return drag.cancel();
    const next = stepOf(event.key, selected, count);
    if (next === undefined) return;
    event.preventDefault();
    onSelect(Math.min(count - 1, Math.max(0, next)));
  };
  const [from, to] = drag.range ?? [base, selected];
  const place = (index: number): number => slotOf(index, count, slots.length);
  return (
    <div
      className={clsx('timeline-line', drag.range && 'dragging')}
      role="slider"
      tabIndex={0}
      aria-label="Timeline"
      aria-orientation="horizontal"
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={selected + 1 || 1}
      aria-valuetext={
        selected < 0 ? 'none selected' : `${words(selected)}, ${formatCount(selected + 1)} of ${formatCount(count)}`
      }
      onKeyDown={onKeyDown}
      onPointerMove={(event) => {
        drag.handlers.onPointerMove(event);
        setHover(event.pointerType === 'mouse' ? drag.indexOf(event) : undefined);
      }}
      onPointerDown={drag.handlers.onPointerDown}
      onPointerUp={drag.handlers.onPointerUp}
      onPointerCancel={drag.cancel}
      onPointerLeave={() => setHover(undefined)}
      data-count={count}
      data-testid="timeline-slider"
    >
      <svg className="timeline-svg" width={width} aria-hidden="true">
        {from >= 0 && to >= 0 && <Range scale={scale} from={place(from)} to={place(to)} />}
        <Drawn drawing={drawing} scale={scale} slim={slim} />
        {room > 0 && <Unsaved model={model} scale={scale} index={props.unsaved} />}
        {selected >= 0 && <Selected model={model} scale={scale} index={selected} slim={slim} />}
        {!slim && <Axis model={model} tree={tree} selected={selected} base={base} scale={scale} />}
      </svg>
      {hover !== undefined && !drag.range && (
        <span
          className={clsx('timeline-hint', scale.x(place(hover)) > width / 2 && 'at-left')}
          style={{ left: scale.x(place(hover)) }}
          aria-hidden="true"
        >
          {[words(hover), timeAt(tree, hover)].filter((part) => part !== undefined).join(', ')}
        </span>
      )}
    </div>
  );
}

function stepOf(key: string, selected: number, count: number): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowUp') return selected + 1;
  if (key === 'ArrowLeft' || key === 'ArrowDown') return selected - 1;
  if (key === 'PageUp') return selected + PAGE;
  if (key === 'PageDown') return selected - PAGE;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** @example '#07 fetch_revenue, completed, 7 changes' */
function wordsOf(tree: ForkTree, fact: StepFact | undefined, index: number, shown: (text: string) => string): string {
  const row = tree.nodes[index]?.row;
  if (row === undefined) return '';
  const changes = fact?.changes === undefined ? 'changes not counted' : plural(fact.changes, 'change');
  return [
    `${stepNumber(row)} ${shown(row.description ?? '')}`.trim(),
    fact?.broken === true ? 'cannot be read' : STATUS_WORDS[row.status].toLowerCase(),
    ...(fact?.broken === true || row.parent === undefined ? [] : [changes]),
  ].join(', ');
}

function timeAt(tree: ForkTree, index: number): string | undefined {
  const time = tree.nodes[index]?.row?.time;
  return time === undefined ? undefined : formatTime(time);
}

function Range({ scale, from, to }: { readonly scale: Scale; readonly from: number; readonly to: number }) {
  const [left, right] = [scale.x(Math.min(from, to)), scale.x(Math.max(from, to))];
  return <rect className="timeline-range" x={left} y={-1} width={Math.max(1, right - left)} height="100" />;
}

/** For the step that left no checkpoint, beyond the last that did, so that its words clear the last number; in px. */
const UNSAVED_ROOM = 96;
/** Where the next checkpoint is at the right of it, there is less room, and its mark says enough. */
const UNSAVED_NEAR = 30;

/** Dashed, after the checkpoint that it ran on. */
function Unsaved({ model, scale, index }: Pick<SelectedProps, 'model' | 'scale' | 'index'>) {
  const from = scale.x(slotOf(index, model.count, model.slots.length));
  const y = scale.laneY(model.laneOf(index));
  const isLast = index === model.count - 1;
  const x = from + (isLast ? UNSAVED_ROOM * 0.6 : UNSAVED_NEAR);
  return (
    <g className="timeline-unsaved" data-testid="timeline-unsaved">
      <path d={`M${from + 7} ${y}H${x - 6}`} />
      <circle cx={x} cy={y} r={5} />
      <path className="cross" d={`M${x - 2} ${y - 2}l4 4m0-4l-4 4`} />
      {isLast && (
        <text x={x} y={69} textAnchor="middle">
          not saved
        </text>
      )}
    </g>
  );
}

interface DrawnProps {
  readonly drawing: Drawing;
  readonly scale: Scale;
  readonly slim: boolean;
}

/** All that does not depend on the selection. */
const Drawn = memo(function Drawn({ drawing, scale, slim }: DrawnProps) {
  return (
    <>
      <path className="timeline-base" d={`M0 ${scale.base + 0.5}H${scale.width}`} />
      <path className="timeline-bar" d={drawing.known} data-testid="timeline-bars" />
      <path className="timeline-bar running" d={drawing.running} />
      <path className="timeline-unknown" d={drawing.unknown} data-testid="timeline-unknown" />
      {!slim && drawing.lanes.map((d, lane) => <path key={lane} className={`timeline-lane lane-${lane + 1}`} d={d} />)}
      {!slim && <path className="timeline-node" d={drawing.marks.step} />}
      {!slim && <path className="timeline-node fork" d={drawing.marks.fork} />}
      {!slim && <path className="timeline-node running" d={drawing.marks.running} />}
      <path className="timeline-node broken" d={drawing.marks.broken} />
      <path className="timeline-node failed" d={drawing.marks.failed} data-testid="timeline-failed" />
      {drawing.failures !== '' && (
        <path className="timeline-failures" d={drawing.failures} data-testid="timeline-failures" />
      )}
    </>
  );
});

interface SelectedProps extends Omit<DrawnProps, 'drawing'> {
  readonly model: TimelineModel;
  readonly index: number;
}

function Selected({ model, scale, index, slim }: SelectedProps) {
  const slot = slotOf(index, model.count, model.slots.length);
  const changes = model.slots[slot]?.changes;
  const lane = model.laneOf(index);
  return (
    <>
      {changes !== undefined && (
        <path className="timeline-bar selected" d={barPath(scale, slot, changes, model.most)} />
      )}
      {slim ? (
        <path className="timeline-pointer" d={`M${scale.x(slot) - 4} 34l4-4 4 4z`} />
      ) : (
        <g className="timeline-selected">
          <circle cx={scale.x(slot)} cy={scale.laneY(lane)} r={5.5} />
          <circle className="dot" cx={scale.x(slot)} cy={scale.laneY(lane)} r={2.8} />
        </g>
      )}
    </>
  );
}

interface AxisProps extends Pick<TrackProps, 'model' | 'tree' | 'selected' | 'base'> {
  readonly scale: Scale;
}

/** Failures named at most; the others have their marks. */
const FAILURES = 8;

/**
 * The numbers of the steps that matter (selected, base, ends, latest, failures), and of every n-th between them; below
 * them when they were saved.
 */
function Axis({ model, tree, selected, base, scale }: AxisProps) {
  const { count, slots } = model;
  const fixed = useMemo(() => {
    const rows = tree.nodes.slice(0, count);
    const latest = rows.findIndex(({ row }) => row?.isLatest === true);
    const failures = rows.flatMap(({ row, index }) => (row?.status === 'failed' ? [index] : [])).slice(0, FAILURES);
    return [0, count - 1, latest, ...failures];
  }, [tree, count]);
  const chars = String(count).length + 1;
  const ticks = useMemo(() => ticksOf(count, scale, chars), [count, scale, chars]);
  const wanted = [selected, base, ...fixed, ...ticks]
    .filter((index, place, all) => index >= 0 && all.indexOf(index) === place)
    .map((index) => ({ index, slot: slotOf(index, count, slots.length), strong: index === selected }));
  const labels = labelsOf(wanted, scale, chars);
  return (
    <>
      {labels.map(({ index, x, strong }) => {
        const row = tree.nodes[index]?.row;
        return (
          row && (
            <text key={index} className={clsx('timeline-number', strong && 'strong')} x={x} y={69} textAnchor="middle">
              {stepNumber(row)}
            </text>
          )
        );
      })}
      <Clock model={model} scale={scale} named={new Set(labels.map(({ slot }) => slot))} />
    </>
  );
}

interface ClockProps extends Pick<SelectedProps, 'model' | 'scale'> {
  /** Places with a number. */
  readonly named: ReadonlySet<number>;
}

/** When it was: clock times below the numbers, and a break where nothing was saved for long. */
function Clock({ model, scale, named }: ClockProps) {
  const marks = clockMarks(model.slots, model.gaps, scale, named);
  const breaks = model.gaps.map(({ after }) => {
    const x = scale.x(after) + scale.step / 2;
    return `M${x - 1.5} 4V60M${x + 1.5} 4V60`;
  });
  return (
    <g className="timeline-clock" data-testid="timeline-clock">
      {breaks.length > 0 && <path className="timeline-gap" d={breaks.join('')} data-testid="timeline-gaps" />}
      {marks.map(({ x, text, gap }) => (
        <text key={`${x} ${text}`} className={clsx('timeline-time', gap && 'gap')} x={x} y={81} textAnchor="middle">
          {text}
        </text>
      ))}
    </g>
  );
}

interface DragOptions {
  readonly count: number;
  /** How far along the line a place is, 0 to 1. */
  readonly along: (x: number) => number;
  readonly onSelect: (index: number) => void;
  readonly onRange: (first: number, last: number) => void;
}

/** Less is a press with an unsteady hand. */
const DRAG_PX = 5;

/** A press selects; drawing along the line marks a range, which counts when it is released. */
function useDrag({ count, along, onSelect, onRange }: DragOptions) {
  const start = useRef<{ readonly x: number; readonly index: number }>(undefined);
  const [range, setRange] = useState<readonly [from: number, to: number]>();
  const indexOf = ({ clientX, currentTarget }: PointerEvent<HTMLElement>): number =>
    indexAt(along(clientX - currentTarget.getBoundingClientRect().left), count);
  const cancel = (): void => {
    start.current = undefined;
    setRange(undefined);
  };
  const handlers = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      start.current = { x: event.clientX, index: indexOf(event) };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!start.current) return;
      const isDrag = range !== undefined || Math.abs(event.clientX - start.current.x) >= DRAG_PX;
      if (isDrag) setRange([start.current.index, indexOf(event)]);
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      if (!start.current) return;
      const [from, to] = [start.current.index, indexOf(event)];
      const isRange = range !== undefined && from !== to;
      cancel();
      if (isRange) onRange(from, to);
      else onSelect(to);
    },
  };
  return { range, indexOf, cancel, handlers };
}
