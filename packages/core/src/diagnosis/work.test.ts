import { afterEach, expect, it, vi } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { Leaf } from './leaf.ts';
import type { DiagnosedStep } from './types.ts';

/** One entry of many changes at each step. */
function runOf(steps: number, size: number): DiagnosedStep[] {
  const rows = Array.from({ length: size }, (_, at) => ({ id: `row-${at}`, price: 10 + at, owner: `team ${at % 3}` }));
  return Array.from({ length: steps }, (_, step) => {
    const price = 1_000 + step;
    const changed = rows.map((row, at) => (step > 0 && at === step % 10 ? { ...row, price } : row));
    const status = step === steps - 1 ? 'failed' : 'completed';
    return {
      ref: { task: 'run', id: String(step) },
      seq: step + 1,
      status,
      text: JSON.stringify({ step, rows: changed }),
    };
  });
}

afterEach(() => vi.restoreAllMocks());

/** Values that are read in a diagnosis; those that states share count once. */
function valuesRead(steps: number, size: number): number {
  const read = new Set<Leaf>();
  const value = Object.getOwnPropertyDescriptor(Leaf.prototype, 'value')?.get;
  vi.spyOn(Leaf.prototype, 'value', 'get').mockImplementation(function (this: Leaf) {
    read.add(this);
    return String(value?.call(this));
  });
  suspectsOf(runOf(steps, size));
  vi.restoreAllMocks();
  return read.size;
}

it('reads the values that changed, and not every value of every state', () => {
  const perStep = (size: number): number => (valuesRead(60, size) - valuesRead(20, size)) / 40;
  expect(perStep(100)).toBeLessThan(4);
  expect(perStep(400)).toBeLessThan(perStep(100) * 1.1);
});

/** A conversation: a message with an id, a job for one of the items, at each step. */
function talkOf(steps: number): DiagnosedStep[] {
  const said = Array.from({ length: steps }, (_, at) => ({
    id: `m-${at}`,
    from: 'ai',
    text: `please look up the price of item ${at}, and write down what you found before you ask for another one`,
  }));
  return said.map((_, step) => {
    const text = JSON.stringify({ messages: said.slice(0, step + 1), items: [{ id: 'a', price: step }] });
    return { ref: { task: 'run', id: String(step) }, seq: step + 1, status: 'completed', description: 'look up', text };
  });
}

/** Characters that are searched for words. */
function searched(steps: number): number {
  let found = 0;
  const includes = Reflect.get(String.prototype, 'includes');
  vi.spyOn(String.prototype, 'includes').mockImplementation(function (this: string, ...rest) {
    found += this.length;
    return includes.apply(this, rest);
  });
  suspectsOf(talkOf(steps));
  vi.restoreAllMocks();
  return found;
}

it('goes through a conversation once, however many messages have names', () => {
  expect(searched(200)).toBeLessThan(searched(100) * 2.5);
});

/** How often a word is found that each message has once. */
function found(steps: number): number {
  let times = 0;
  const toLowerCase = Reflect.get(String.prototype, 'toLowerCase');
  vi.spyOn(String.prototype, 'toLowerCase').mockImplementation(function (this: string) {
    if (String(this) === 'please') times += 1;
    return toLowerCase.call(this);
  });
  suspectsOf(talkOf(steps));
  vi.restoreAllMocks();
  return times;
}

it('cuts a message into words once, however many lists it is in', () => {
  expect(found(60)).toBeLessThanOrEqual(60);
});
