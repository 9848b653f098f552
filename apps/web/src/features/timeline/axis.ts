/** The clock below the timeline: when the checkpoints were saved, and where nothing was saved for long. */
import { formatPause, formatTick } from '../../lib/format.ts';

/** When the first and the last checkpoint of a place were saved, in ms; absent where no time is known. */
export interface Timed {
  from?: number;
  to?: number;
}

export interface Gap {
  /** The place before it. */
  readonly after: number;
  readonly ms: number;
}

/** Where places are, in px. */
interface Line {
  readonly width: number;
  readonly step: number;
  readonly x: (place: number) => number;
}

/** A shorter pause isn't marked, however quick the steps are. */
const LEAST_MS = 60_000;
/** So many times longer than the step in the middle. */
const RATIO = 10;
const MOST_GAPS = 8;

/** Pauses that are far longer than what is usual between two places; the longest few, in order. */
export function gapsOf(places: readonly Timed[]): readonly Gap[] {
  const pauses = places.slice(1).flatMap(({ from }, after): Gap[] => {
    const before = places[after]?.to;
    return from === undefined || before === undefined ? [] : [{ after, ms: from - before }];
  });
  if (pauses.length < 3) return [];
  const usual = pauses.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(pauses.length / 2)] ?? 0;
  return pauses
    .filter(({ ms }) => ms >= LEAST_MS && ms > usual * RATIO)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, MOST_GAPS)
    .sort((a, b) => a.after - b.after);
}

export interface ClockMark {
  readonly x: number;
  readonly text: string;
  readonly gap: boolean;
}

const CHAR = 6.4;
const ROOM = 14;
/** Longer spans are told to the minute. */
const EXACT_MS = 900_000;

/**
 * Clock times along the line, as many as have room, each under the number of the checkpoint that was saved then; the
 * day where it is another one than before. Gaps come first: they are what an even line hides.
 */
export function clockMarks(
  places: readonly Timed[],
  gaps: readonly Gap[],
  scale: Line,
  named: ReadonlySet<number>,
): readonly ClockMark[] {
  const known = places.flatMap(({ from }, place) =>
    from === undefined ? [] : [{ ms: from, x: scale.x(place), isNamed: named.has(place) }],
  );
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last) return [];
  const exact = last.ms - first.ms < EXACT_MS;
  const taken: { from: number; to: number }[] = [];
  const place = (x: number, text: string): number | undefined => {
    const half = (text.length * CHAR) / 2;
    const middle = Math.min(scale.width - half - 2, Math.max(half + 2, x));
    const [from, to] = [middle - half - ROOM / 2, middle + half + ROOM / 2];
    if (taken.some((other) => from < other.to && to > other.from)) return undefined;
    taken.push({ from, to });
    return middle;
  };
  const marks: ClockMark[] = [];
  for (const { after, ms } of gaps) {
    const text = formatPause(ms);
    const x = place(scale.x(after) + scale.step / 2, text);
    if (x !== undefined) marks.push({ x, text, gap: true });
  }
  let day = formatTick(last.ms, exact).day;
  for (const { ms, x } of known.filter(({ isNamed }) => isNamed)) {
    const tick = formatTick(ms, exact);
    const text = tick.day === day ? tick.clock : `${tick.day} ${tick.clock}`;
    const at = place(x, text);
    if (at === undefined) continue;
    day = tick.day;
    marks.push({ x: at, text, gap: false });
  }
  return marks;
}
