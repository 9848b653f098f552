/** The timeline as data: where each checkpoint is, and what is known of the steps in each place. */
import type { LineageRow } from '@checkpoint-inspector/core';
import type { Forks } from '../../lib/forks.ts';
import { gapsOf, type Timed } from './axis.ts';

/** What the list knows of a checkpoint, by its place in save order. */
export interface StepFact {
  /** Differences to the parent; absent: not known. */
  readonly changes?: number;
  readonly broken: boolean;
}

/** One place on the line: a checkpoint, or where there is no room for each, a run of them. */
interface Slot extends Timed {
  /** Most differences of a step in it; absent where none of them is known. */
  changes?: number;
  running: boolean;
  /** So many of them failed. */
  failed: number;
}

const KINDS = ['step', 'failed', 'running', 'broken', 'fork'] as const;

/** A node of the lanes; of many in one place that look alike, one. */
export interface Mark {
  readonly slot: number;
  readonly lane: number;
  readonly kind: (typeof KINDS)[number];
}

/** An edge from one lane to another. */
interface Bend {
  readonly fromLane: number;
  readonly from: number;
  readonly lane: number;
  readonly to: number;
}

/** Lanes beyond this share the last one. */
export const LANES_DRAWN = 4;

/** The place of a checkpoint: in save order, evenly spread. */
export const slotOf = (index: number, count: number, slots: number): number =>
  count <= slots ? index : Math.floor((index * slots) / count);

/** The checkpoint at a place along the line, `at` from 0 to 1. */
export const indexAt = (at: number, count: number): number => Math.min(count - 1, Math.max(0, Math.floor(at * count)));

/** Linear in the checkpoints; the answer is no larger than the places times the lanes. */
export function timelineModel(
  { tree, layout: layoutOf }: Pick<Forks, 'tree' | 'layout'>,
  facts: ReadonlyMap<number, StepFact>,
  most: number,
) {
  const nodes = tree.nodes.filter((node) => node.row !== undefined);
  const count = nodes.length;
  const places = Math.max(1, Math.min(count, most));
  const layout = layoutOf();
  const laneOf = (index: number): number => Math.min(layout.lane[index] ?? 0, LANES_DRAWN - 1);
  const slots: Slot[] = Array.from({ length: count === 0 ? 0 : places }, () => ({
    running: false,
    failed: 0,
  }));
  // Keys are numbers: texts would cost more than all the rest.
  const marks = new Map<number, Mark>();
  const bends = new Map<number, Bend>();
  const spot = (slot: number, lane: number): number => slot * LANES_DRAWN + lane;
  const spans = new Map<number, { from: number; to: number }[]>();
  for (const node of nodes) {
    const slot = slotOf(node.index, count, places);
    const lane = laneOf(node.index);
    const fact = facts.get(node.index);
    const here = slots[slot];
    if (here && fact?.changes !== undefined) here.changes = Math.max(here.changes ?? 0, fact.changes);
    if (here) addStep(here, node.row);
    const kind = markKind(node.row?.status, node.children.length > 1, fact?.broken === true);
    const key = spot(slot, lane) * KINDS.length + KINDS.indexOf(kind);
    if (!marks.has(key)) marks.set(key, { slot, lane, kind });
    const parent = node.parent === undefined ? undefined : tree.nodes[node.parent];
    if (parent?.row === undefined) continue;
    const from = slotOf(parent.index, count, places);
    const fromLane = laneOf(parent.index);
    if (fromLane === lane) addSpan(spans, lane, Math.min(from, slot), Math.max(from, slot));
    else bends.set(spot(from, fromLane) * spot(places, 0) + spot(slot, lane), { fromLane, from, lane, to: slot });
  }
  return {
    /** Checkpoints, ghosts not counted. */
    count,
    slots,
    lanes: Math.min(layout.lanes, LANES_DRAWN),
    /** Lanes that share a line say nothing about which checkpoint belongs to which. */
    shared: layout.lanes > LANES_DRAWN,
    gaps: gapsOf(slots),
    laneOf,
    runs: [...spans].flatMap(([lane, list]) => merged(list).map((span) => ({ lane, ...span }))),
    bends: [...bends.values()],
    marks: [...marks.values()],
    /** The most differences of a step that is known. */
    most: slots.reduce((highest, { changes = 0 }) => Math.max(highest, changes), 0),
    mostFailed: slots.reduce((highest, { failed }) => Math.max(highest, failed), 0),
  };
}

function addStep(slot: Slot, row: LineageRow | undefined): void {
  if (row?.status === 'running') slot.running = true;
  if (row?.status === 'failed') slot.failed += 1;
  const ms = row?.time === undefined ? Number.NaN : Date.parse(row.time);
  if (Number.isNaN(ms)) return;
  slot.from = Math.min(slot.from ?? ms, ms);
  slot.to = Math.max(slot.to ?? ms, ms);
}

export type TimelineModel = ReturnType<typeof timelineModel>;

function markKind(status: string | undefined, fork: boolean, broken: boolean): Mark['kind'] {
  if (broken) return 'broken';
  if (status === 'failed' || status === 'running') return status;
  return fork ? 'fork' : 'step';
}

/** Continues with the last piece where they touch: the list stays short for long chains. */
function addSpan(spans: Map<number, { from: number; to: number }[]>, lane: number, from: number, to: number): void {
  const list = spans.get(lane);
  const last = list?.at(-1);
  if (list === undefined) spans.set(lane, [{ from, to }]);
  else if (last && from <= last.to && to >= last.from) {
    last.from = Math.min(last.from, from);
    last.to = Math.max(last.to, to);
  } else list.push({ from, to });
}

function merged(spans: readonly { from: number; to: number }[]): { from: number; to: number }[] {
  const out: { from: number; to: number }[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else out.push({ ...span });
  }
  return out;
}

/** How high a bar is, 0 to 1: by the root, so that small steps are seen beside a large one. */
export const barShare = (changes: number, most: number): number => (most === 0 ? 0 : Math.sqrt(changes / most));
