/** The checkpoints of one session: after each message, and after each call of a tool. */
import type { MessageFacts, PartFacts } from './facts.ts';
import { ROW, type Damaged, type Message, type Part, type SessionLog } from './log.ts';
import type { Marker } from './sessions.ts';

export interface Point {
  /** Of the message, the part or the damaged row. */
  readonly id: string;
  /** In the session, oldest first, from 1. */
  readonly place: number;
  /** The event after which it is done; `ROW` where no event tells. */
  readonly seq: number;
  readonly sizeBytes: number;
  readonly is: 'message' | 'call' | 'damaged';
  readonly message?: Message;
  readonly part?: Part;
  readonly damaged?: Damaged;
  /** As it was then. */
  readonly facts?: MessageFacts;
  readonly call?: PartFacts;
  readonly parent?: Point;
  /** Why the conversation doesn't continue from here. */
  readonly aside?: 'deleted' | 'reverted';
}

/** A point by itself, before it has its place among the others. */
type Bare = Omit<Point, 'place' | 'parent' | 'aside'>;

export interface History {
  readonly log: SessionLog;
  /** Oldest first. */
  readonly points: readonly Point[];
  /** From the head back, then what was saved after it. */
  readonly order: readonly Point[];
  readonly byId: ReadonlyMap<string, Point>;
  /** What opencode continues from. */
  readonly head?: Point;
  /** How many checkpoints opencode deletes at the next prompt. */
  readonly reverted: number;
}

/** @param marker of the session as it is now. */
export function historyOf(log: SessionLog, marker: Marker | undefined): History {
  const ordered = [...log.messages.values()].toSorted(byPlace);
  const hides = hiddenBy(ordered, log, marker);
  const found = ordered.flatMap((message, at) => pointsOf(message, nextStart(ordered, at)));
  const all = [...found, ...log.damaged.map(damagedPoint)].map((point, at) => ({ point, at }));
  // A stable order: within one event a call comes before its message, and rows are in the order of the conversation.
  all.sort((a, b) => a.point.seq - b.point.seq || a.at - b.at);
  const points: Point[] = [];
  const path: Point[] = [];
  for (const { point } of all) {
    const aside = isDeleted(point, log) ? 'deleted' : hides(point) ? 'reverted' : undefined;
    while (path.length > 0 && isGoneBy(path.at(-1), point.seq)) path.pop();
    const parent = point.is === 'damaged' ? undefined : path.at(-1);
    const made: Point = {
      ...point,
      place: points.length + 1,
      ...(parent ? { parent } : {}),
      ...(aside ? { aside } : {}),
    };
    points.push(made);
    if (made.is !== 'damaged') path.push(made);
  }
  const head = points.findLast((point) => point.is !== 'damaged' && point.aside === undefined);
  const reverted = points.filter(({ aside }) => aside === 'reverted').length;
  const byId = new Map(points.map((point) => [point.id, point]));
  return { log, points, order: inResumeOrder(points, head), byId, ...(head ? { head } : {}), reverted };
}

function inResumeOrder(points: readonly Point[], head: Point | undefined): readonly Point[] {
  const end = head?.place ?? points.length;
  return [...points.slice(0, end).toReversed(), ...points.slice(end).toReversed()];
}

/** The order of opencode: by the time of a message, then its id. */
export function byPlace(a: Message, b: Message): number {
  const byTime = (a.facts[0]?.created ?? 0) - (b.facts[0]?.created ?? 0);
  return byTime !== 0 ? byTime : compare(a.id, b.id);
}

export const byId = (a: { readonly id: string }, b: { readonly id: string }): number => compare(a.id, b.id);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The event that begins the next message; later versions of this one, such as a summary of its changes, are not its own end. */
function nextStart(ordered: readonly Message[], at: number): number {
  return ordered[at + 1]?.versions[0]?.seq ?? Number.POSITIVE_INFINITY;
}

function pointsOf(message: Message, until: number): Bare[] {
  const parts = [...message.parts.values()].toSorted(byId);
  const calls = parts.filter(({ facts }) => facts[0]?.type === 'tool').map((part) => callPoint(message, part));
  const own = parts.map(({ versions }) => lastBefore(versions, until)?.seq ?? ROW);
  const isAnswer = message.facts[0]?.role === 'assistant';
  const done = isAnswer
    ? message.facts.findIndex(({ completed, error }) => completed !== undefined || error !== undefined)
    : 0;
  const ended = message.versions.at(done)?.seq ?? ROW;
  const seq = [...calls.map((call) => call.seq), ...own].reduce((most, one) => (one > most ? one : most), ended);
  const at = message.versions.findLastIndex((version) => version.seq <= seq);
  const facts = message.facts[at];
  const { sizeBytes = 0 } = message.versions[at] ?? {};
  return [...calls, { id: message.id, seq, sizeBytes, is: 'message', message, ...(facts ? { facts } : {}) }];
}

function callPoint(message: Message, part: Part): Bare {
  const settled = part.facts.findIndex(({ status }) => status === 'completed' || status === 'error');
  const { seq = ROW, sizeBytes = 0 } = part.versions.at(settled) ?? {};
  const call = part.facts.at(settled);
  return { id: part.id, seq, sizeBytes, is: 'call', message, part, ...(call ? { call } : {}) };
}

function damagedPoint(damaged: Damaged): Bare {
  const { id, seq, sizeBytes } = damaged;
  return { id, seq, sizeBytes, is: 'damaged', damaged };
}

function lastBefore<T extends { readonly seq: number }>(versions: readonly T[], until: number): T | undefined {
  return versions.findLast(({ seq }) => seq < until);
}

/** By an event, or by a hand that left none. */
function isDeleted({ message, part }: Bare, { live }: SessionLog): boolean {
  if (message === undefined) return false;
  return removedAt(message, part) !== undefined || !live.has(message.id);
}

/** A message whose last parts were removed is no longer what it was at its end. */
function removedAt(message: Message, part: Part | undefined): number | undefined {
  if (message.removedAt !== undefined) return message.removedAt;
  if (part) return part.removedAt;
  const cuts = [...message.parts.values()].flatMap((one) => one.removedAt ?? []);
  return cuts.toSorted((a, b) => a - b)[0];
}

function isGoneBy(point: Point | undefined, seq: number): boolean {
  if (point?.message === undefined) return false;
  const at = removedAt(point.message, point.part);
  return at !== undefined && at <= seq;
}

/** The rule of opencode: what is at or after the marked message, or the marked part in it. A message that isn't there hides nothing. */
function hiddenBy(ordered: readonly Message[], log: SessionLog, marker: Marker | undefined): (point: Bare) => boolean {
  const marked = marker && log.live.has(marker.messageId) ? log.messages.get(marker.messageId) : undefined;
  if (marker === undefined || marked === undefined) return () => false;
  const { partId } = marker;
  const hidden = new Set(ordered.slice(ordered.indexOf(marked) + 1));
  if (partId === undefined) hidden.add(marked);
  const hasPart = partId !== undefined && marked.parts.has(partId);
  return ({ message, part }) => {
    if (message === undefined) return false;
    if (hidden.has(message)) return true;
    return message === marked && hasPart && (part === undefined || part.id >= partId);
  };
}
