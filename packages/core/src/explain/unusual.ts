/** Values that a step wrote and that are unlike their peers: the same field of the entries beside them. */
import { noiseOf } from '../diff/noise.ts';
import { patternOf, type ChangeRoles } from '../diff/roles.ts';
import type { Difference } from '../diff/types.ts';
import { sourceOf, type JsonNode } from '../json/node.ts';
import { parsePath, valueAt, type Path } from '../json/path.ts';
import { parseJson } from '../json/read.ts';
import { MAX_VALUE, type StepChanges } from './changes.ts';

export interface UnusualAt {
  readonly at: number;
  readonly item: Difference;
  readonly reason: string;
  readonly score: number;
}

/** A step that writes more than this writes everything anew. */
const MAX_ITEMS = 60;
const MAX_SHOWN = 3;
/** Of fewer nobody can say what is usual. */
const MIN_PEERS = 4;

/** The newest step comes first. */
export class UnusualValues {
  readonly #roles: ChangeRoles;
  readonly #found: UnusualAt[] = [];

  constructor(roles: ChangeRoles) {
    this.#roles = roles;
  }

  add({ at, items, after }: StepChanges): void {
    const own = items.filter((item) => isScalar(item.after) && this.#isData(item));
    if (own.length === 0 || own.length > MAX_ITEMS) return;
    const root = parseJson(after);
    for (const item of own) {
      const path = parsePath(item.path);
      const found = judge(item, path, peersOf(after, root, path));
      if (found !== undefined) this.#found.push({ at, item, ...found });
    }
    this.#trim();
  }

  /** The most unusual ones, each pattern of paths once. */
  result(): readonly UnusualAt[] {
    const chosen: UnusualAt[] = [];
    for (const one of this.#found.toSorted((a, b) => b.score - a.score || a.at - b.at)) {
      if (chosen.length === MAX_SHOWN) break;
      if (!chosen.some(({ item }) => patternOf(item.path) === patternOf(one.item.path))) chosen.push(one);
    }
    return chosen.filter(({ item }) => this.#roles.of(item) === 'data');
  }

  #isData(item: Difference): boolean {
    return noiseOf(item) === undefined && this.#roles.of(item) === 'data';
  }

  #trim(): void {
    if (this.#found.length <= 10 * MAX_SHOWN) return;
    this.#found.sort((a, b) => b.score - a.score || a.at - b.at);
    this.#found.length = 5 * MAX_SHOWN;
  }
}

const isScalar = (json: string | undefined): boolean =>
  json !== undefined && json.length < MAX_VALUE && !/^[[{]/.test(json);

/** JSON texts of the same field of the entries beside; of a map or a list of plain values its other values. */
function peersOf(state: string, root: JsonNode, path: Path): readonly string[] {
  const field = path.at(-1);
  const holder = valueAt(state, root, path.slice(0, -1));
  if (field === undefined || holder === undefined) return [];
  if (holder.kind === 'object') {
    const entries = entriesBeside(valueAt(state, root, path.slice(0, -2)), path.at(-2));
    const peers = entries.flatMap((entry) => {
      const value = entry.kind === 'object' ? entry.members.find(({ key }) => key === field)?.value : undefined;
      return value && value.kind !== 'object' && value.kind !== 'array' ? [sourceOf(state, value)] : [];
    });
    if (peers.length >= MIN_PEERS && peers.length === entries.length) return peers;
  }
  // Fields of one record have nothing in common but their holder, unless all are figures.
  const beside = entriesBeside(holder, field);
  const isAlike = beside.every(({ kind }) => kind === 'number') && valueAt(state, holder, [field])?.kind === 'number';
  return isAlike ? beside.map((value) => sourceOf(state, value)) : [];
}

function entriesBeside(list: JsonNode | undefined, own: string | number | undefined): readonly JsonNode[] {
  if (list?.kind === 'array') return list.items.filter((_item, at) => at !== own);
  if (list?.kind === 'object') return list.members.flatMap(({ key, value }) => (key === own ? [] : [value]));
  return [];
}

type Verdict = Pick<UnusualAt, 'reason' | 'score'>;

function judge(item: Difference, path: Path, peers: readonly string[]): Verdict | undefined {
  const { after = '' } = item;
  if (after === 'null' || peers.length < MIN_PEERS) return undefined;
  const told = peers.filter((peer) => peer !== 'null');
  if (told.length < MIN_PEERS) return undefined;
  return (
    duplicate(path, after, told) ??
    otherType(after, told) ??
    (/^-?\d/.test(after) ? otherNumber(item, Number(after), told.map(Number)) : otherText(after, told))
  );
}

const typeOf = (json: string): string =>
  json.startsWith('"') ? 'text' : /^-?\d/.test(json) ? 'a number' : 'true or false';

function otherType(after: string, peers: readonly string[]): Verdict | undefined {
  const types = new Set(peers.map(typeOf));
  const [type] = types;
  if (types.size !== 1 || type === undefined || type === typeOf(after)) return undefined;
  return { score: 3, reason: `It is ${typeOf(after)}; the ${peers.length} values beside it are ${type}.` };
}

const ID = /^(?:id|key|sku|code|uuid)$|(?:_id|Id)$/;

function duplicate(path: Path, after: string, peers: readonly string[]): Verdict | undefined {
  const field = path.at(-1);
  if (typeof field !== 'string' || !ID.test(field)) return undefined;
  const isUnique = new Set(peers).size === peers.length;
  return isUnique && peers.includes(after)
    ? { score: 3, reason: 'Another entry has the same one; all others differ.' }
    : undefined;
}

/** So many times larger or smaller than all others. */
const FAR = 20;

function otherNumber({ before }: Difference, after: number, peers: readonly number[]): Verdict | undefined {
  if (peers.some((peer) => !Number.isFinite(peer))) return undefined;
  if (after < 0 && peers.every((peer) => peer > 0)) {
    return { score: 2.5, reason: `It is negative; the ${peers.length} values beside it are not.` };
  }
  const sizes = peers.map(Math.abs).filter((size) => size > 0);
  if (sizes.length < MIN_PEERS || after === 0) return undefined;
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const size = Math.abs(after);
  const times = size > most ? size / most : least / size;
  const isJump = before !== undefined && /^-?\d/.test(before) && isFar(Number(before), after);
  if (times < FAR) return undefined;
  const side = size > most ? 'larger' : 'smaller';
  const reason = `It is ${Math.round(times)} times ${side} than any of the ${peers.length} values beside it.`;
  return { score: (isJump ? 3 : 2) + Math.min(1, Math.log10(times) / 4), reason };
}

function isFar(before: number, after: number): boolean {
  const ratio = Math.abs(after / before);
  return Number.isFinite(ratio) && ratio > 0 && (ratio >= FAR || ratio <= 1 / FAR);
}

const MIN_CATEGORY_PEERS = 8;
const MAX_CATEGORY = 24;

function otherText(after: string, peers: readonly string[]): Verdict | undefined {
  const counts = new Map<string, number>();
  for (const peer of peers) counts.set(peer, (counts.get(peer) ?? 0) + 1);
  const isCategory = peers.length >= MIN_CATEGORY_PEERS && [...counts.values()].every((count) => count >= 3);
  if (!isCategory || counts.has(after) || after.length > MAX_CATEGORY) return undefined;
  return {
    score: 1.5,
    reason: `Only this one has it; the ${peers.length} values beside it are ${[...counts.keys()].map(readable).join(' or ')}.`,
  };
}

const readable = (json: string): string => json.replaceAll('"', '');
