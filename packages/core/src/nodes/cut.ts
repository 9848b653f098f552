import { isSame } from './measure.ts';
import { PIECE, type Group } from './types.ts';

/** Where entries may be cut: by their contents alone, so that a change moves no cut but those beside it. */
export interface Entries {
  readonly length: number;
  weight(at: number): number;
  /** 32 bits of a hash. */
  mark(at: number): number;
  /** True where the entry is that of the state before. */
  isOld(at: number, before: number): boolean;
  make(from: number, to: number): Group;
}

/** The groups of the state before, and how many entries at either end are the same. */
export interface Before {
  readonly length: number;
  readonly groups: readonly Group[];
  readonly prefix: number;
  readonly suffix: number;
}

/** A cut comes after so much weight above the least, on average. */
const ABOVE_LEAST = PIECE.mean - PIECE.least;
const MARKS = 2 ** 32;

/** Groups of entries that follow each other. Those of the state before are kept where their entries are the same. */
export function cut(entries: Entries, before: Before | undefined): Group[] {
  const groups: Group[] = [];
  const shift = before === undefined ? 0 : before.length - entries.length;
  let at = 0;
  if (before) {
    for (const group of before.groups) {
      const end = at + group.length;
      // The last group ends with the list and not at a cut.
      if (end > before.prefix || (end === before.length && shift !== 0)) break;
      groups.push(group);
      at = end;
    }
  }
  const starts = before && startsOf(before.groups, groups.length, at);
  while (at < entries.length) {
    const same = before && at >= entries.length - before.suffix ? starts?.get(at + shift) : undefined;
    if (before && same !== undefined) return groups.concat(before.groups.slice(same));
    const end = endOf(entries, at);
    groups.push(groupBefore(entries, at, end, before, starts) ?? entries.make(at, end));
    at = end;
  }
  return groups;
}

function endOf(entries: Entries, from: number): number {
  let weight = 0;
  for (let at = from; at < entries.length; at++) {
    const own = entries.weight(at);
    weight += own;
    if (weight >= PIECE.most) return at + 1;
    if (weight >= PIECE.least && entries.mark(at) < (MARKS * own) / ABOVE_LEAST) return at + 1;
  }
  return entries.length;
}

/** The group of the state before that has exactly these entries, counted from the front or from the end. */
function groupBefore(
  entries: Entries,
  from: number,
  to: number,
  before: Before | undefined,
  starts: ReadonlyMap<number, number> | undefined,
): Group | undefined {
  if (before === undefined) return undefined;
  for (const shift of [0, before.length - entries.length]) {
    const nth = starts?.get(from + shift);
    const group = nth === undefined ? undefined : before.groups[nth];
    if (group?.length !== to - from) continue;
    let at = from;
    while (at < to && entries.isOld(at, at + shift)) at++;
    if (at === to) return group;
  }
  return undefined;
}

/** Where each group begins, from the `first` on, which begins at `from`. */
function startsOf(groups: readonly Group[], first: number, from: number): Map<number, number> {
  const starts = new Map<number, number>();
  let at = from;
  for (let nth = first; nth < groups.length; nth++) {
    starts.set(at, nth);
    at += groups[nth]?.length ?? 0;
  }
  return starts;
}

/** FNV-1a over the first characters: cheap, and only ever decides where to cut. */
export function markOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  const end = Math.min(text.length, 128);
  for (let at = 0; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // The high bits of FNV of short texts hardly differ.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** What two levels of the same array have in common at their ends. */
export function sharedEnds(
  now: readonly Group[],
  before: readonly Group[] | undefined,
  groups: readonly Group[] | undefined,
): Before | undefined {
  if (before === undefined || groups === undefined) return undefined;
  const most = Math.min(now.length, before.length);
  let prefix = 0;
  while (prefix < most && isSame(now[prefix], before[prefix])) prefix++;
  let suffix = 0;
  while (suffix < most - prefix && isSame(now[now.length - 1 - suffix], before[before.length - 1 - suffix])) suffix++;
  return { length: before.length, groups, prefix, suffix };
}
