/** Where the timeline draws what, in px; one path for everything that looks alike. */
import { barShare, type Mark, type TimelineModel } from './model.ts';

const PAD = 14;
const NARROWEST = 4;
/** From this distance on each checkpoint has a node of its own. */
const NODES_FROM = 10;

/** From the first of three or more lanes to the last, whose marks have to stay clear of the numbers. */
const LANES_HEIGHT = 15;

/** How many places there is room for. */
export const placesIn = (width: number): number => Math.max(1, Math.floor((width - 2 * PAD) / NARROWEST));

/** `slim`: the bar of a narrow screen, without lanes. */
export function scaleOf({ slots, lanes }: Pick<TimelineModel, 'slots' | 'lanes'>, width: number, slim: boolean) {
  const count = Math.max(1, slots.length);
  const step = Math.max(0.5, (width - 2 * PAD) / count);
  const gap = lanes <= 2 ? 11 : LANES_HEIGHT / (lanes - 1);
  return {
    width,
    /** From one place to the next. */
    step,
    /** The line that the bars are on. */
    base: slim ? 20 : 32,
    tallest: slim ? 15 : 23,
    laneY: (lane: number) => (slim ? 28 : (lanes <= 2 ? 41 : 39) + lane * gap),
    x: (slot: number) => PAD + (slot + 0.5) * step,
    /** How far along the line a place on the screen is, 0 to 1. */
    along: (x: number) => (x - PAD) / (step * count),
    nodes: !slim && step >= NODES_FROM,
  };
}

export type Scale = ReturnType<typeof scaleOf>;

export function drawingOf(model: TimelineModel, scale: Scale) {
  const bars = { known: '', running: '', unknown: '' };
  model.slots.forEach((slot, place) => {
    if (slot.changes === undefined) bars.unknown += dot(scale.x(place), scale.base - 4, 1.2);
    else bars[slot.running ? 'running' : 'known'] += barPath(scale, place, slot.changes, model.most);
  });
  // Where checkpoints share a px, lines of lanes that share a line are noise: what failed is drawn by how much.
  const dense = !scale.nodes && model.shared;
  const lanes = Array.from({ length: model.lanes }, () => '');
  for (const { lane, from, to } of dense ? [] : model.runs) {
    lanes[lane] += `M${at(scale.x(from))} ${at(scale.laneY(lane))}H${at(scale.x(to))}`;
  }
  for (const { fromLane, from, lane, to } of dense ? [] : model.bends) {
    const [x1, y1, x2, y2] = [scale.x(from), scale.laneY(fromLane), scale.x(to), scale.laneY(lane)];
    const turn = x1 + Math.min(16, (x2 - x1) / 2) * Math.sign(x2 - x1 || 1);
    lanes[lane] +=
      `M${at(x1)} ${at(y1)}C${at(turn)} ${at(y1)} ${at(x1)} ${at(y2)} ${at(turn + (turn - x1))} ${at(y2)}H${at(x2)}`;
  }
  const marks: Record<Mark['kind'], string> = { step: '', fork: '', running: '', broken: '', failed: '' };
  for (const mark of model.marks) if (!dense || mark.kind === 'running') marks[mark.kind] += markPath(mark, scale);
  const failures = dense
    ? model.slots.map(({ failed }, place) => failurePath(scale, place, failed, model.mostFailed))
    : [];
  return { ...bars, lanes, marks, failures: failures.join('') };
}

export type Drawing = ReturnType<typeof drawingOf>;

/** The bar of a step: never higher than the tallest, and one that changed nothing is a stroke on the line. */
export function barPath(scale: Scale, slot: number, changes: number, most: number): string {
  const wide = Math.max(1.5, Math.min(16, scale.step * 0.62));
  const high = changes === 0 ? 1 : Math.max(2.5, barShare(changes, most) * scale.tallest);
  const left = scale.x(slot) - wide / 2;
  return `M${at(left)} ${scale.base}v${at(-high)}h${at(wide)}v${at(high)}z`;
}

/** Down from the line, by how many of the place failed; one is seen beside many. */
function failurePath(scale: Scale, slot: number, failed: number, most: number): string {
  if (failed === 0) return '';
  const wide = Math.max(1.5, Math.min(16, scale.step * 0.62));
  const high = Math.max(5, barShare(failed, most) * FAILURE_HEIGHT);
  return `M${at(scale.x(slot) - wide / 2)} ${scale.base + 3}h${at(wide)}v${at(high)}h${at(-wide)}z`;
}

/** As much as the lanes would take. */
const FAILURE_HEIGHT = 20;

function markPath({ slot, lane, kind }: Mark, scale: Scale): string {
  const [x, y] = [scale.x(slot), scale.laneY(lane)];
  if (kind === 'failed') {
    const r = scale.nodes ? 2 : 2.4;
    const cross = `M${at(x - r)} ${at(y - r)}l${2 * r} ${2 * r}M${at(x + r)} ${at(y - r)}l${-2 * r} ${2 * r}`;
    return scale.nodes ? dot(x, y, 4.6) + cross : cross;
  }
  if (!scale.nodes) return kind === 'step' ? '' : dot(x, y, kind === 'broken' ? 2 : 1.6);
  return dot(x, y, kind === 'step' ? 3 : 3.4);
}

const dot = (x: number, y: number, r: number): string =>
  `M${at(x - r)} ${at(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

/** A tenth of a px is enough. */
const at = (value: number): number => Math.round(value * 10) / 10;

/** Of one character of a number, and what is free between two numbers. */
const CHAR_WIDTH = 6.4;
const LABEL_GAP = 10;
/** So that no number is cut at the ends of the line. */
const EDGE = 20;

/** Which numbers are below the line: the wanted ones in their order, as far as they do not touch. */
export function labelsOf(
  wanted: readonly { readonly index: number; readonly slot: number; readonly strong: boolean }[],
  scale: Scale,
  chars: number,
) {
  const kept: { index: number; slot: number; x: number; strong: boolean }[] = [];
  for (const { index, slot, strong } of wanted) {
    const x = Math.min(scale.width - EDGE, Math.max(EDGE, scale.x(slot)));
    if (kept.every((label) => Math.abs(label.x - x) >= labelWidth(chars))) kept.push({ index, slot, x, strong });
  }
  return kept;
}

const labelWidth = (chars: number): number => chars * CHAR_WIDTH + LABEL_GAP;

/**
 * Places along the whole line at round distances, as many as have room twice over.
 * @example ticksOf(500, scale, 4) // [0, 50, 100, …]
 */
export function ticksOf(count: number, scale: Scale, chars: number): number[] {
  const most = Math.max(1, Math.floor(scale.width / (2 * labelWidth(chars))));
  const least = Math.max(1, count / most);
  const power = 10 ** Math.floor(Math.log10(least));
  const every = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? least;
  return Array.from({ length: Math.ceil(count / every) }, (_, turn) => turn * every);
}
