/** A value that should be something: which step broke it. */
import { equalJson } from '../json/equal.ts';
import { locate } from '../history/locate.ts';
import { parsePath } from '../json/path.ts';
import type { Follower } from '../diff/follow.ts';
import type { Expectation } from './expect.ts';
import { sentValues } from '../diff/sent-values.ts';
import { ValueTrace, type StepChanges, type ValueChange } from './changes.ts';

/**
 * Looks for the step after which the value was never again what it should be. A value that no step changed was
 * never written.
 */
export class Check {
  readonly #expected: string;
  readonly #trace: ValueTrace;
  readonly #end: string | undefined;
  #broken: ValueChange | undefined;
  #isDone: boolean;

  /** @param end the last state of the run */
  constructor({ path, value }: Expectation, end: string) {
    this.#expected = value;
    this.#trace = new ValueTrace(parsePath(path));
    this.#end = locate(end, parsePath(path));
    this.#isDone = this.holds;
  }

  get holds(): boolean {
    return this.#isExpected(this.#end);
  }

  get found(): string | undefined {
    return this.#end;
  }

  /** The oldest change since it last held. */
  get broken(): ValueChange | undefined {
    return this.#broken;
  }

  /** The newest step comes first. */
  add(step: StepChanges, follower: Follower): void {
    if (this.#isDone) return;
    const change = this.#trace.add(step, follower);
    if (change === undefined) return;
    this.#broken = sentValues(change);
    this.#isDone = this.#isExpected(change.before);
  }

  #isExpected(value: string | undefined): boolean {
    return value !== undefined && equalJson(value, this.#expected);
  }
}
