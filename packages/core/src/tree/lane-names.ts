import { oneLineJson } from '../json/readable.ts';
import { leafOf } from '../diff/noise.ts';
import { rankDiff } from '../diff/rank.ts';
import type { ChangeRoles } from '../diff/roles.ts';
import type { Diff, Difference } from '../diff/types.ts';
import { maskSecrets } from '../secrets/masker.ts';
import type { Lane } from './lane-list.ts';

/** A value in which a lane differs from the one it forks from; values as short text, secrets masked. */
export interface LaneDifference {
  readonly path: string;
  readonly key: string;
  /** Absent: the lane does not have the value. */
  readonly value?: string;
  /** In the lane that it forks from. */
  readonly before?: string;
}

/** As many as the groups of a large tree may need. */
const KEPT = 6;
const LONGEST = 60;
/** Longer values are not names; only their beginning is looked at. */
const LOOKED_AT = 4_000;

/**
 * The most telling values of a diff, as parts of a name.
 * @param roles what moves in nearly every step of the task, or is a message of it, names a lane only where nothing else differs
 */
export function laneDifferences(diff: Pick<Diff, 'items'>, roles?: ChangeRoles): LaneDifference[] {
  const { ranked, folded } = rankDiff(diff, roles);
  // Between steps a count that goes up is noise; between lanes it may be the seed.
  const counted = folded.filter(({ item, why }) => why === 'counter' && roles?.isRoutine(item) !== true);
  const readable = [...ranked, ...counted.map(({ item }) => item)].filter(isReadable);
  const data = readable.filter((item) => isData(item, roles));
  const said = readable.filter((item) => roleOf(item, roles) === 'conversation');
  const telling = data.length > 0 ? data : said;
  const [plain, nested] = [telling.filter((item) => !isNested(item)), telling.filter(isNested)];
  return [...plain, ...nested].slice(0, KEPT).map(partOf);
}

/** Where nothing else differs, the words of a list say more than nothing; an encoded one has none. */
const isNested = ({ before = '', after = before }: Difference): boolean => /^[[{]\s*[^\s\]}]/.test(after);

/** Bytes as letters: a path or a long word has no such mixture. */
const ENCODED = /"__pickled__"|(?=[A-Z0-9+]*[a-z])(?=[a-z0-9+]*[A-Z])(?=[A-Za-z+]*\d)[A-Za-z0-9+]{40,}/;

const isReadable = ({ before = '', after = '' }: Difference): boolean =>
  [before, after].every((text) => !ENCODED.test(text.slice(0, LOOKED_AT)));

const roleOf = (item: Difference, roles: ChangeRoles | undefined) => item.role ?? roles?.rankOf(item) ?? 'data';

function isData(item: Difference, roles: ChangeRoles | undefined): boolean {
  const role = roleOf(item, roles);
  return role === 'data' || (role === 'bookkeeping' && roles?.isRoutine(item) === false);
}

function partOf(item: Difference): LaneDifference {
  const part = { path: item.path, key: short(leafOf(item.path)) };
  if (item.kind === 'moved') return { ...part, value: 'moved' };
  return {
    ...part,
    ...(item.after === undefined ? {} : { value: words(item.after) }),
    ...(item.before === undefined ? {} : { before: words(item.before) }),
  };
}

/** Masked before it is cut: half a secret has no shape by which it could be masked later. */
function short(text: string): string {
  const letters = Array.from(maskSecrets(text.slice(0, LOOKED_AT)));
  return letters.length <= LONGEST ? letters.join('') : `${letters.slice(0, LONGEST).join('')}…`;
}

function words(json: string): string {
  if (!json.startsWith('"') || json.length > LOOKED_AT) return short(oneLineJson(json.slice(0, LOOKED_AT)));
  const value: unknown = JSON.parse(json);
  return short(typeof value === 'string' ? value : json);
}

/**
 * What a lane is called: what tells it from its siblings, else where it began.
 * @example laneTitle({ lane: 'f1', steps: 3, differences: [{ path: '$.seed', key: 'seed', value: '7' }], nameLength: 1 })
 * // 'seed: 7'
 */
export function laneTitle(lane: LaneNamed, from?: string): string {
  const { differences = [] } = lane;
  const parts = differences.slice(0, lane.nameLength).map(({ key, value = 'absent' }) => `${key}: ${value}`);
  if (parts.length > 0) return parts.join(', ');
  if (lane.lane === 'main') return 'main';
  const steps = `${lane.steps} ${lane.steps === 1 ? 'step' : 'steps'}`;
  return from === undefined ? `starts here, ${steps}` : `from ${from}, ${steps}`;
}

export interface LaneNamed {
  readonly lane: string;
  readonly steps: number;
  readonly differences?: readonly LaneDifference[] | undefined;
  readonly nameLength: number;
}

/**
 * How many of its differences each lane needs so that it reads unlike its siblings: one, unless another lane from the
 * same checkpoint reads alike.
 * @param differences by the lane's ordinal
 */
export function nameLengths(
  lanes: readonly Lane[],
  differences: ReadonlyMap<number, readonly LaneDifference[]>,
): ReadonlyMap<number, number> {
  const lengths = new Map<number, number>();
  let open = lanes.filter((lane) => (differences.get(lane.ordinal)?.length ?? 0) > 0);
  for (let length = 1; open.length > 0; length++) {
    const alike = new Map<string, Lane[]>();
    for (const lane of open) {
      lengths.set(lane.ordinal, length);
      const parts = differences.get(lane.ordinal)?.slice(0, length) ?? [];
      const name = JSON.stringify([lane.fork, parts.map(({ key, value }) => [key, value])]);
      alike.set(name, [...(alike.get(name) ?? []), lane]);
    }
    open = [...alike.values()]
      .filter((group) => group.length > 1)
      .flat()
      .filter((lane) => (differences.get(lane.ordinal)?.length ?? 0) > length);
  }
  return lengths;
}
