import type { Path } from '../../json/path.ts';

/** A number with its own spelling: 12.50. */
export class Exact {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Json = null | boolean | number | string | Exact | Json[] | Obj;
export interface Obj {
  [key: string]: Json;
}

export function isObj(value: Json | undefined): value is Obj {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Exact);
}

export function isNumber(value: Json | undefined): value is number | Exact {
  return typeof value === 'number' || value instanceof Exact;
}

/** JSON text; a number keeps its spelling. */
export function textOf(value: Json, indent = 0, depth = 0): string {
  if (value instanceof Exact) return value.text;
  const open = indent === 0 ? '' : `\n${' '.repeat(indent * (depth + 1))}`;
  const close = indent === 0 ? '' : `\n${' '.repeat(indent * depth)}`;
  const colon = indent === 0 ? ':' : ': ';
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[${value.map((item) => open + textOf(item, indent, depth + 1)).join(',')}${close}]`;
  }
  if (!isObj(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${open}${JSON.stringify(key)}${colon}${textOf(item, indent, depth + 1)}`,
  );
  return members.length === 0 ? '{}' : `{${members.join(',')}${close}}`;
}

export function copyOf(value: Json): Json {
  if (typeof value !== 'object' || value === null || value instanceof Exact) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Obj = {};
  for (const key of Object.keys(value)) copy[key] = copyOf(value[key] ?? null);
  return copy;
}

export function at(root: Json | undefined, path: Path): Json | undefined {
  let value = root;
  for (const step of path) {
    if (Array.isArray(value)) value = typeof step === 'number' ? value[step] : undefined;
    else value = isObj(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Writes a value where its parent is; without one, nothing. */
export function place(root: Json, path: Path, value: Json): void {
  const parent = at(root, path.slice(0, -1));
  const step = path.at(-1);
  if (step === undefined) return;
  if (Array.isArray(parent) && typeof step === 'number') parent[step] = value;
  else if (isObj(parent)) parent[String(step)] = value;
}

export function drop(root: Json, path: Path): void {
  const parent = at(root, path.slice(0, -1));
  const step = path.at(-1);
  if (Array.isArray(parent) && typeof step === 'number') parent.splice(step, 1);
  else if (isObj(parent) && step !== undefined) delete parent[step];
}

/** The value as a number; 0 for what is none. */
export function num(value: Json | undefined): number {
  const number = value instanceof Exact ? Number(value.text) : typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : 0;
}

/** How many decimals a number is written with. */
export function decimalsOf(value: number | Exact): number {
  const text = value instanceof Exact ? value.text : String(value);
  return text.includes('e') ? 6 : (text.split('.')[1]?.length ?? 0);
}

/** A number spelled like another one: with its decimals, exact if it was. */
export function like(model: number | Exact, value: number): number | Exact {
  const decimals = decimalsOf(model);
  if (model instanceof Exact) return new Exact(value.toFixed(decimals));
  return Number(value.toFixed(Math.max(decimals, Math.abs(value) < 1 && value !== 0 ? 4 : 0)));
}

/** Every scalar and empty container below a value, with its path. */
export function leavesOf(value: Json, path: Path = []): { path: Path; value: Json }[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap((item, nth) => leavesOf(item, [...path, nth]));
  if (isObj(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
  return [{ path, value }];
}

/** Items by key, in the order in which the keys turn up. */
export function grouped<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
