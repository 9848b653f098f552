/**
 * A state cut into nodes, which states share: what a step left alone is stored once. The body of a node is JSON text
 * in which `\u001f12;` stands for the node 12; JSON text itself never contains that character.
 */

/** What the body of a node is. The numbers are stored. */
export const KIND = {
  /** A value. */
  value: 0,
  /** Some entries of an array or an object, without its brackets. */
  entries: 1,
  /** `12:40 13:7`: the nodes whose entries follow each other, each with how many entries it has. */
  list: 2,
  /** A list that is the whole of an array. */
  array: 3,
  /** A list that is the whole of an object. */
  object: 4,
} as const;

export type NodeKind = (typeof KIND)[keyof typeof KIND];

/** A node as stored. */
export interface NodeBody {
  readonly kind: NodeKind;
  readonly body: string;
}

/** A node as the states in memory know it. Equal hashes are equal contents; two nodes may have equal contents. */
export interface SharedNode {
  /** Its row; 0 until it has been written. */
  id: number;
  /** Of the contents, whatever the ids of the nodes in it. */
  readonly hash: string;
}

/** A node that is still to be written. Nodes that it refers to come before it. */
export interface FreshNode {
  readonly node: SharedNode;
  readonly kind: NodeKind;
  readonly pieces: readonly Piece[];
}

/** Text, or a reference; with a count in a list. */
export type Piece = string | SharedNode;

/** A value that JavaScript would write otherwise, by its source: `1.0`, `"\u00e9"`, `NaN`, duplicate keys. */
export class Exact {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** A string or an exact value that is long enough for a node of its own. */
export class Long {
  readonly value: string | Exact;
  readonly bytes: number;
  readonly node: SharedNode;
  constructor(value: string | Exact, bytes: number, node: SharedNode) {
    this.value = value;
    this.bytes = bytes;
    this.node = node;
  }
}

/** Entries that follow each other, in one node. */
export interface Group {
  readonly node: SharedNode;
  /** Members: entries in the lowest level, groups of the level below in the others. */
  readonly length: number;
  /** Entries. */
  readonly count: number;
}

/** Finds quickly which items at the front of an array are those of before. */
export interface ArrayFront {
  /** True where the item writes what the one at this place wrote; false also where only a closer look can tell. */
  isSame(at: number, item: unknown): boolean;
}

/** An array or an object whose text is long; entries are never changed. */
export class Container {
  /** Of an object; absent for an array. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly SharedValue[];
  /** Of its compact text, as UTF-8. */
  readonly bytes: number;
  /** Sum of the weights of its entries. */
  readonly weight: number;
  /** Absent where it is written as a part of what it is in. */
  readonly node: SharedNode | undefined;
  /** The lowest level first; empty where it is not cut. */
  readonly levels: readonly (readonly Group[])[];
  /** What it was last found to be made of, where that is declared never to change. */
  source: object | undefined;
  /** Of an array whose items may change. */
  readonly front: ArrayFront | undefined;

  constructor(made: Omit<Container, never>) {
    this.keys = made.keys;
    this.values = made.values;
    this.bytes = made.bytes;
    this.weight = made.weight;
    this.node = made.node;
    this.levels = made.levels;
    this.source = made.source;
    this.front = made.front;
  }
}

/** A value of a state in memory; what two states have in common is the same object. */
export type SharedValue = string | number | boolean | null | Exact | Long | Container;

/** A whole state. */
export interface SharedState {
  readonly value: SharedValue;
  readonly node: SharedNode;
  /** Of its compact text, as UTF-8. */
  readonly bytes: number;
}

/** Hex sha256 of a text. */
export type Hash = (text: string) => string;

/** From how many characters on a string has a node of its own. */
export const LONG_TEXT = 2_048;
/** Above this weight a container has a node of its own. */
export const OWN_NODE = 256;
/** Above this weight, and with so many entries, a container is cut. */
export const CUT_FROM = { weight: 512, entries: 12 } as const;
/** Weight of what lies between two cuts: a change writes one such piece again, and the lists above it. */
export const PIECE = { least: 96, mean: 192, most: 384 } as const;
/** Weight of a reference. */
export const REFERENCE = 10;
/** Deeper than this a value is kept by its source. */
export const MAX_DEPTH = 400;
