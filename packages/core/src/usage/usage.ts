import { refKey, refOfMeta } from '../ids.ts';
import { eachInSteps, type InSteps } from '../in-steps.ts';
import type { CheckpointMeta } from '../model.ts';

/** A sum over checkpoints, and how many of them say something. */
export interface Measured {
  /** Decimal text, exact. */
  readonly value: string;
  readonly said: number;
}

/** What was used, as far as the checkpoints say. */
export interface Usage {
  readonly checkpoints: number;
  readonly tokens?: Measured;
  readonly costUsd?: Measured;
  readonly durationMs?: Measured;
}

export type UsageField = 'tokens' | 'costUsd' | 'durationMs';

/** What adding up needs of a checkpoint. */
export type UsedBy = Pick<
  CheckpointMeta,
  'id' | 'taskId' | 'namespace' | 'parentId' | 'parentTaskId' | 'agentId' | 'tokenUsage' | 'costUsd' | 'durationMs'
>;

const FIELDS = { tokens: 'tokenUsage', costUsd: 'costUsd', durationMs: 'durationMs' } as const;

/**
 * Adds up the checkpoints of a task, in all and per agent ('' where none is named). A running total, such as what an
 * agent has spent so far, is not added again at each save: a checkpoint counts for what it is more than its parent.
 * So what branches have in common counts once.
 * @param running fields that hold running totals in this system
 * @param origins parents in other tasks: they are not counted, only what was added to them is
 */
export function addUsage(
  checkpoints: readonly UsedBy[],
  running: ReadonlySet<UsageField> = new Set(),
  origins: readonly UsedBy[] = [],
): { readonly all: Usage; readonly agents: ReadonlyMap<string, Usage> } {
  const parts = partsOf(checkpoints, running, origins);
  return { all: sumOf(parts.map(({ used }) => used)), agents: grouped(parts, ({ agentId = '' }) => agentId) };
}

/** What each group of checkpoints used, such as each lane of a tree: what groups have in common counts in one. */
export function* usageInSteps(
  checkpoints: readonly UsedBy[],
  groupOf: (one: UsedBy) => string,
  running: ReadonlySet<UsageField> = new Set(),
): InSteps<ReadonlyMap<string, Usage>> {
  const byRef = new Map<string, UsedBy>();
  // Only a running total asks for what came before.
  if (running.size > 0) yield* eachInSteps(checkpoints, (one) => void byRef.set(refKey(refOfMeta(one)), one));
  const groups = new Map<string, Used[]>();
  yield* eachInSteps(checkpoints, (one) => {
    const [name, used] = [groupOf(one), usedBy(one, byRef, running)];
    const group = groups.get(name);
    if (group) group.push(used);
    else groups.set(name, [used]);
  });
  const sums = new Map<string, Usage>();
  for (const [name, group] of groups) {
    const parts: Usage[] = [];
    for (let at = 0; at < group.length; at += SUMMED) {
      parts.push(sumOf(group.slice(at, at + SUMMED)));
      yield;
    }
    sums.set(name, totalUsage(parts));
  }
  return sums;
}

/** Checkpoints that are added up at a time. */
const SUMMED = 500;

interface Part {
  readonly one: UsedBy;
  readonly used: Used;
}

function partsOf(
  checkpoints: readonly UsedBy[],
  running: ReadonlySet<UsageField>,
  origins: readonly UsedBy[],
): readonly Part[] {
  const byRef = new Map([...origins, ...checkpoints].map((one) => [refKey(refOfMeta(one)), one]));
  return checkpoints.map((one) => ({ one, used: usedBy(one, byRef, running) }));
}

function grouped(parts: readonly Part[], groupOf: (one: UsedBy) => string): ReadonlyMap<string, Usage> {
  const groups = new Map<string, Used[]>();
  for (const { one, used } of parts) {
    const name = groupOf(one);
    const group = groups.get(name);
    if (group) group.push(used);
    else groups.set(name, [used]);
  }
  return new Map([...groups].map(([name, list]) => [name, sumOf(list)]));
}

/** The sum of sums. */
export function totalUsage(usages: readonly Usage[]): Usage {
  const total = (field: UsageField): Partial<Record<UsageField, Measured>> => {
    const said = usages.flatMap((usage) => usage[field] ?? []);
    if (said.length === 0) return {};
    return {
      [field]: { value: addDecimals(said.map(({ value }) => value)), said: said.reduce((n, one) => n + one.said, 0) },
    };
  };
  return {
    checkpoints: usages.reduce((n, usage) => n + usage.checkpoints, 0),
    ...total('tokens'),
    ...total('costUsd'),
    ...total('durationMs'),
  };
}

type Used = Partial<Record<UsageField, number | string>>;

function usedBy(one: UsedBy, byRef: ReadonlyMap<string, UsedBy>, running: ReadonlySet<UsageField>): Used {
  const used: Used = {};
  for (const field of Object.keys(FIELDS) as UsageField[]) {
    const value = one[FIELDS[field]];
    if (value === undefined || !Number.isFinite(value)) continue;
    used[field] = running.has(field) ? more(value, totalBefore(one, field, byRef)) : value;
  }
  return used;
}

/** A total that falls was begun again. */
const more = (value: number, before: number | undefined): number | string =>
  before === undefined || before > value ? value : subtractDecimals(value, before);

/** What the nearest ancestor that says anything had. */
function totalBefore(one: UsedBy, field: UsageField, byRef: ReadonlyMap<string, UsedBy>): number | undefined {
  const seen = new Set<UsedBy>([one]);
  for (let at = parentOf(one, byRef); at !== undefined && !seen.has(at); at = parentOf(at, byRef)) {
    const value = at[FIELDS[field]];
    if (value !== undefined && Number.isFinite(value)) return value;
    seen.add(at);
  }
  return undefined;
}

function parentOf(one: UsedBy, byRef: ReadonlyMap<string, UsedBy>): UsedBy | undefined {
  if (one.parentId === undefined) return undefined;
  return byRef.get(refKey({ ...refOfMeta(one), id: one.parentId, task: one.parentTaskId ?? one.taskId }));
}

function sumOf(parts: readonly Used[]): Usage {
  return totalUsage(
    parts.map((used) => ({
      checkpoints: 1,
      ...Object.fromEntries(Object.entries(used).map(([field, value]) => [field, { value: String(value), said: 1 }])),
    })),
  );
}

/** Decimals as text, added without the noise of binary fractions. */
const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
/** No sum of money is smaller or larger; beyond it a number is not taken for one. */
const MAX_SCALE = 400;

interface Scaled {
  readonly digits: bigint;
  /** The value is `digits / 10 ** scale`. */
  readonly scale: number;
}

/**
 * The exact sum of numbers by their shortest spelling. @param values finite numbers or decimal texts
 * @throws RangeError for anything else
 * @example addDecimals([0.1, 0.2]) // '0.3'
 */
export function addDecimals(values: Iterable<number | string>): string {
  const parts = [...values].map(scaled);
  const scale = Math.max(0, ...parts.map((part) => part.scale));
  const sum = parts.reduce((total, part) => total + part.digits * 10n ** BigInt(scale - part.scale), 0n);
  return textOf({ digits: sum, scale });
}

/** @example subtractDecimals(0.3, 0.1) // '0.2' */
export function subtractDecimals(a: number | string, b: number | string): string {
  const taken = scaled(b);
  return addDecimals([a, textOf({ ...taken, digits: -taken.digits })]);
}

function scaled(value: number | string): Scaled {
  const match = DECIMAL.exec(String(value));
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  const scale = fraction.length - Number(exponent);
  if (!match || Math.abs(scale) > MAX_SCALE) throw new RangeError(`${value} isn't a decimal number.`);
  const digits = BigInt(sign === '-' ? `-${whole}${fraction}` : whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

function textOf({ digits, scale }: Scaled): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}
