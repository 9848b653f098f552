/** Values that a step wrote and that are unlike their peers: the same field of the entries beside them. */
import { noiseOf } from '../diff/noise.ts';
import { patternOf, type ChangeRoles } from '../diff/roles.ts';
import type { Difference } from '../diff/types.ts';
import { sourceOf, type JsonNode } from '../json/node.ts';
import { parsePath, valueAt, type Path } from '../json/path.ts';
import { parseJson } from '../json/read.ts';
import { sentValues } from '../diff/sent-values.ts';
import type { Kept, StepChanges } from './changes.ts';

export interface UnusualAt {
  readonly at: number;
  readonly item: Kept;
  readonly reason: string;
  readonly score: number;
}

/** Longer texts have no peers. */
const MAX_VALUE = 2_000;
/** A step that writes more than this rewrites everything. */
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
      if (found !== undefined) this.#found.push({ at, item: sentValues(item), ...found });
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

/** JSON texts of the same field of the entries beside. */
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
  return [];
}

function entriesBeside(list: JsonNode | undefined, own: string | number | undefined): readonly JsonNode[] {
  if (list?.kind === 'array') return list.items.filter((_item, at) => at !== own);
  if (list?.kind === 'object') return list.members.flatMap(({ key, value }) => (key === own ? [] : [value]));
  return [];
}

type Verdict = Pick<UnusualAt, 'reason' | 'score'>;

function judge(item: Difference, path: Path, peers: readonly string[]): Verdict | undefined {
  const { after = '' } = item;
  const shift = shifted(item);
  if (shift || after === 'null') return shift;
  const told = peers.filter((peer) => peer !== 'null');
  return told.length < MIN_PEERS ? undefined : (duplicate(path, after, told) ?? otherType(after, told));
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

/** The same digits with the point elsewhere, or the other sign: a slip of units, not another figure. */
function shifted({ before, after = '' }: Difference): Verdict | undefined {
  if (before === undefined || !isFigure(before) || !isFigure(after)) return undefined;
  const [from, to] = [Number(before), Number(after)];
  if (from === 0 || to === 0) return undefined;
  if (to === -from) return { score: 2, reason: `It is ${before} with the other sign.` };
  const power = Math.log10(Math.abs(to / from));
  const isShift = Math.abs(power - Math.round(power)) < 1e-9 && Math.abs(power) >= MIN_SHIFT;
  const times = (10 ** Math.abs(Math.round(power))).toLocaleString('en');
  return isShift
    ? {
        score: 3,
        reason: `It is ${times} times ${power > 0 ? 'larger' : 'smaller'} than before, with the same digits.`,
      }
    : undefined;
}

/** Powers of ten: tenfold may be meant. */
const MIN_SHIFT = 2;
const isFigure = (json: string): boolean => /^-?\d/.test(json);
