import type { Leaf } from './leaf.ts';
import { isContainer, isSameText, sourceOf, type ListNode, type Member, type Node, type ObjectNode } from './tree.ts';
import { unquote } from '../json/node.ts';

const SEEDS: Readonly<Record<string, number>> = { object: 1, array: 2, string: 3, number: 4, boolean: 5, null: 6 };
/** Another one in each process, so that nobody can prepare a state whose values all collide. */
const MULTIPLIER = Math.floor(Math.random() * 0x7fff_ffff) | 1;

/** Equal in the sense of `equalJson`; unequal values are nearly always told apart by their hashes. */
export function isEqual(a: Node, b: Node): boolean {
  if (a.kind !== b.kind) return false;
  if (isSameText(a, b)) return true;
  // Two values without members are compared in less time than they are hashed.
  if (!isContainer(a) || !isContainer(b)) return a.kind === 'string' && textOf(a) === textOf(b);
  return hashOf(a) === hashOf(b) && areEqual(a, b);
}

function areEqual(one: Node, other: Node): boolean {
  const pairs: [Node, Node][] = [[one, other]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [a, b] = pair;
    if (isSameText(a, b)) continue;
    if (a.kind === 'object' && b.kind === 'object') {
      if (!pairMembers(a, b, pairs)) return false;
    } else if (a.kind === 'array' && b.kind === 'array') {
      if (a.items.length !== b.items.length) return false;
      for (const [at, item] of a.items.entries()) pairs.push([item, b.items[at] ?? item]);
    } else if (a.kind !== b.kind || a.kind !== 'string' || textOf(a) !== textOf(b)) {
      return false;
    }
  }
  return true;
}

/** Of a string, unescaped and whole. */
export const textOf = (node: Node): string =>
  node.kind === 'string' && node.whole === undefined ? node.value : unquote(node.home, node.start, node.end);

/** The n-th of a key with the n-th of it. */
function pairMembers(a: ObjectNode, b: ObjectNode, pairs: [Node, Node][]): boolean {
  if (a.members.length !== b.members.length) return false;
  const groups = valuesByKey(b);
  const used = new Map<string, number>();
  for (const { key, value } of a.members) {
    const nth = used.get(key) ?? 0;
    const other = groups.get(key)?.[nth];
    if (other === undefined) return false;
    used.set(key, nth + 1);
    pairs.push([value, other]);
  }
  return true;
}

/** Every value of each key, in the text's order. */
export function valuesByKey({ members }: ObjectNode): Map<string, Node[]> {
  const groups = new Map<string, Node[]>();
  for (const { key, value } of members) {
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** 32 bits; equal values have equal hashes, however they are spelled. Works at any depth. */
export function hashOf(root: Node): number {
  const todo = [root];
  for (let node = todo.at(-1); node; node = todo.at(-1)) {
    const size = todo.length;
    if (isContainer(node) && node.hash === undefined) {
      if (node.kind === 'array') for (const item of node.items) need(item, todo);
      else for (const { value } of node.members) need(value, todo);
      if (todo.length > size) continue;
      node.hash = node.kind === 'array' ? ofList(node) : ofObject(node.members);
    }
    todo.pop();
  }
  return known(root);
}

function need(node: Node, todo: Node[]): void {
  if (isContainer(node) && node.hash === undefined) todo.push(node);
}

const known = (node: Node): number => (isContainer(node) ? (node.hash ?? 0) : ofLeaf(node));

function ofList({ items }: ListNode): number {
  let hash = SEEDS['array'] ?? 0;
  for (const item of items) hash = Math.imul(hash, MULTIPLIER) + known(item);
  return mixed(hash);
}

/** A sum, because the order of keys says nothing. */
function ofObject(members: readonly Member[]): number {
  let hash = SEEDS['object'] ?? 0;
  for (const { key, value } of members) hash += mixed(Math.imul(ofText(key, 1), MULTIPLIER) + known(value));
  return mixed(hash);
}

function ofLeaf(leaf: Leaf): number {
  return ofText(leaf.kind === 'string' ? textOf(leaf) : sourceOf(leaf), SEEDS[leaf.kind] ?? 0);
}

function ofText(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, MULTIPLIER) + text.charCodeAt(at)) | 0;
  return mixed(hash);
}

/** Spreads every bit over all others. */
function mixed(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
