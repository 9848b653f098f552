/** Nodes as a store keeps them, in memory, with a count of what is read. */
import { createHash } from 'node:crypto';
import { bodyOf, type NodeBody, type Nodes, share, type SharedState, textOf } from '../index.ts';

export const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

export class Rows {
  reads = 0;
  readonly #nodes = new Map<number, NodeBody & { hash: string }>();

  save(value: unknown, before?: SharedState, immutable = false): SharedState {
    const { state, fresh } = share(value, { hash, before, immutable });
    for (const one of fresh) {
      one.node.id = this.#nodes.size + 1;
      this.#nodes.set(one.node.id, { kind: one.kind, body: bodyOf(one), hash: one.node.hash });
    }
    return state;
  }

  text({ node }: SharedState): string {
    return textOf(this.#nodes, node.id);
  }

  /** All that are stored: more than the state is made of. */
  get nodes(): Nodes {
    return this.#nodes;
  }

  readonly find = (ids: readonly number[]): Nodes => {
    this.reads += ids.length;
    return new Map(
      ids.flatMap((id) => {
        const node = this.#nodes.get(id);
        return node === undefined ? [] : [[id, node] as const];
      }),
    );
  };
}
