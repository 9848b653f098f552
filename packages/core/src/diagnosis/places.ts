import type { Path } from '../json/path.ts';
import { Place, type Label } from './place.ts';
import { childOf, isContainer, type Node, type ObjectNode } from './tree.ts';

/** The place one step below `holder`, whose node this is. */
export function placeBelow(holder: Place, node: Node | undefined, step: string | number): Place {
  if (typeof step === 'string') {
    if (node?.kind !== 'object') return holder.below(step, false, undefined);
    return holder.below(step, isMapIn(holder, node), undefined, node.isColumn ? String(holder.step) : undefined);
  }
  if (node?.kind !== 'array') return holder.below(step, true, undefined);
  if (node.columns !== undefined) return holder.below(step, false, undefined, node.columns[step]);
  return holder.below(step, true, node.names[step]);
}

/** An entry of a list has fields, alike as they may be; in any entry a few figures are some: x, y and z. */
const isMapIn = ({ collection, isEntry, step }: Place, node: ObjectNode): boolean =>
  node.isMap &&
  (collection === undefined || !node.isFewFigures) &&
  (!isEntry || typeof step === 'string' || node.hasNumberedKeys);

/** One state, and where its values are. */
export class Survey {
  readonly root: Node;
  readonly #top: Place;
  /** The place that was asked for last, and its node: the next one is mostly the same. */
  #lastPlace: Place | undefined;
  #lastNode: Node | undefined;

  /** @param top one for all states of a run: most of their places are the same, and are made once */
  constructor(root: Node, top: Place = new Place()) {
    this.root = root;
    this.#top = top;
  }

  /** @param path of a value in this state */
  place(path: Path): Place {
    let place = this.#top;
    let node: Node | undefined = this.root;
    for (const step of path) {
      place = placeBelow(place, node, step);
      node = childOf(node, step);
    }
    return place;
  }

  /** The node at a place of this state. */
  at(place: Place): Node | undefined {
    if (place.parent === undefined) return this.root;
    if (place === this.#lastPlace) return this.#lastNode;
    const node = childOf(this.at(place.parent), place.step);
    this.#lastPlace = place;
    this.#lastNode = node;
    return node;
  }

  node(path: Path): Node | undefined {
    let node: Node | undefined = this.root;
    for (const step of path) node = childOf(node, step);
    return node;
  }

  /** The node whose `Place.key` this is, wherever its entries are in this state. */
  find({ parent, step }: Label): Node | undefined {
    if (parent === undefined) return this.root;
    const holder = this.find(parent);
    return holder && childOf(holder, stepIn(holder, step));
  }

  /** Its path in this state, as far as its entries are there; a last field may be missing. */
  pathOf({ parent, step }: Label): Path | undefined {
    if (parent === undefined) return [];
    const path = this.pathOf(parent);
    const holder = path && this.node(path);
    if (path === undefined || !isContainer(holder)) return undefined;
    const own = stepIn(holder, step);
    return holder.kind === 'array' && childOf(holder, own) === undefined ? undefined : [...path, own];
  }
}

function stepIn(holder: Node, step: string): string | number {
  if (holder.kind !== 'array') return step;
  return step.startsWith('=') ? holder.names.indexOf(step.slice(1)) : Number(step);
}
