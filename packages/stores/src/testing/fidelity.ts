/** Random saves and removals of two writers on one store, each state compared with what was saved. */
import { expect } from 'vitest';
import { anyValue, changed, rngOf, type Rng } from '@checkpoint-inspector/core/testing';
import { openAt, type OpenStore, type StorePlace } from './places.ts';

const STEPS = 5;
/** Older runs are removed, so that collections come along. */
const KEPT_RUNS = 4;

interface Saved {
  readonly task: string;
  readonly id: string;
  /** Not the text: what is saved may be given as a value. */
  readonly value: unknown;
  readonly text: string;
}

/** A look at the tables of the store. */
export interface FidelityTables {
  /** How many collections there were. */
  collections(): Promise<number>;
  /** Tasks whose counts aren't those of their rows. */
  miscounted(): Promise<readonly unknown[]>;
}

export class Fidelity {
  readonly #place: StorePlace;
  readonly #tables: FidelityTables;
  #writers: OpenStore[] = [];
  #saved: Saved[] = [];

  constructor(place: StorePlace, tables: FidelityTables) {
    this.#place = place;
    this.#tables = tables;
  }

  /** Runs of these seeds. @throws Error that names the seed */
  async runs(first: number, count: number): Promise<void> {
    for (let seed = first; seed < first + count; seed++) {
      await this.run(seed).catch((cause: unknown) => {
        throw new Error(`Seed ${seed}.`, { cause });
      });
    }
    expect(await this.#tables.collections()).toBeGreaterThan(count / 5);
    await this.close();
  }

  async run(seed: number): Promise<void> {
    const rng = rngOf('fidelity', seed);
    const task = `run ${seed}`;
    await this.#openAgain(rng);
    let value: unknown = { state: anyValue(rng), seed };
    for (let step = 0; step < STEPS; step++) {
      const from = this.#saved.length > 0 && rng.chance(0.2) ? rng.pick(this.#saved) : undefined;
      value = { state: changed(rng, from?.value ?? value), seed };
      await this.#save(rng, { task, id: rng.chance(0.1) ? 'c0' : `c${step}`, value }, from);
      if (rng.chance(0.3)) await this.#check(rng.pick(this.#saved));
    }
    for (const one of this.#saved.filter((saved) => saved.task === task)) await this.#check(one);
    await this.#removeOld(rng, seed);
    if (rng.chance(0.1)) expect(await this.#tables.miscounted()).toEqual([]);
  }

  async close(): Promise<void> {
    for (const writer of this.#writers) await writer.close();
    this.#writers = [];
  }

  async #openAgain(rng: Rng): Promise<void> {
    if (this.#writers.length > 0 && rng.chance(0.9)) return;
    await this.close();
    this.#writers = [await openAt(this.#place), await openAt(this.#place)];
  }

  #writer(rng: Rng): OpenStore {
    return rng.pick(this.#writers);
  }

  async #save(rng: Rng, made: Omit<Saved, 'text'>, from: Saved | undefined): Promise<void> {
    const { task, id, value } = made;
    const isText = rng.chance(0.3);
    const text = JSON.stringify(value, undefined, isText && rng.chance(0.5) ? 1 : undefined);
    const isParent = from !== undefined && rng.chance(0.5) && !(from.task === task && from.id === id);
    const parent = isParent ? { parent: { task: from.task, id: from.id } } : {};
    // What changes is a new object, so it may be declared immutable.
    const options = { immutable: rng.chance(0.5) };
    await this.#writer(rng).save({ task, id, ...parent, ...(isText ? { text } : { value }) }, options);
    this.#saved = this.#saved.filter((one) => one.task !== task || one.id !== id);
    this.#saved.push({ task, id, value, text });
  }

  async #check({ task, id, text }: Saved): Promise<void> {
    for (const writer of this.#writers) expect((await writer.state({ task, id }))?.text).toBe(text);
  }

  async #removeOld(rng: Rng, seed: number): Promise<void> {
    const isOld = ({ task }: Saved): boolean => Number(task.slice(4)) <= seed - KEPT_RUNS;
    for (const old of this.#saved.filter(isOld)) {
      await this.#check(old);
      await this.#writer(rng).remove(old);
    }
    this.#saved = this.#saved.filter((one) => !isOld(one));
  }
}
