/**
 * The file in which `langgraph dev` for Python keeps its threads and runs, beside the checkpoints: a dict of lists, each
 * thread a dict with its id and status. All else in there, objects of the graph's own among them, is inert data.
 */
import { InspectorError } from '@checkpoint-inspector/core';
import { damagedPickle } from './pickle/machine.ts';
import { INERT_RULES } from './pickle/metadata.ts';
import { readPickle, stepsOf, type Rules } from './pickle/read.ts';
import { Dict, Global, Inert, Text, type Pickled } from './pickle/value.ts';

const UUID = 'uuid.UUID';
const HEX_DIGITS = 32;

/** The one object of which a value is needed. */
class Uuid extends Inert {
  number: bigint | undefined;

  constructor() {
    super(UUID);
  }

  text(): string {
    const hex = (this.number ?? 0n).toString(16).padStart(HEX_DIGITS, '0');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }
}

const RULES: Rules = {
  ...INERT_RULES,
  steps: new Map([
    ...INERT_RULES.steps,
    ...stepsOf({
      NEWOBJ: (machine) => {
        const [of] = machine.popMany(2);
        if (!(of instanceof Global)) throw damagedPickle('makes an object of no class', machine.at);
        machine.push(of.name === UUID ? new Uuid() : new Inert(of.name));
      },
      BUILD: (machine) => {
        const state = machine.pop();
        const object = machine.top();
        if (!(object instanceof Inert)) throw damagedPickle('fills something else', machine.at);
        if (object instanceof Uuid) object.number = numberOf(memberOf(state, 'int'));
      },
    }),
  ]),
};

/** Threads whose last run ended with an error; whatever is wrong with the file, checkpoints are read. */
export function failedThreadsOf(ops: Uint8Array | undefined): ReadonlySet<string> {
  if (ops === undefined) return new Set();
  try {
    const threads = memberOf(readPickle(ops, RULES), 'threads');
    const failed = (Array.isArray(threads) ? threads : []).filter((one) => textOf(memberOf(one, 'status')) === 'error');
    return new Set(failed.flatMap((one) => textOf(memberOf(one, 'thread_id')) ?? []));
  } catch (error) {
    // Half-written, of another version, or with something in it that is not read.
    if (InspectorError.is(error)) return new Set();
    throw error;
  }
}

/** Of the same key, the last counts. */
function memberOf(value: Pickled | undefined, name: string): Pickled | undefined {
  const entries = value instanceof Dict ? value.entries : [];
  return entries.findLast(([key]) => key instanceof Text && key.toString() === name)?.[1];
}

function textOf(value: Pickled | undefined): string | undefined {
  if (value instanceof Uuid) return value.text();
  return value instanceof Text ? value.toString() : undefined;
}

function numberOf(value: Pickled | undefined): bigint | undefined {
  return typeof value === 'bigint' || typeof value === 'number' ? BigInt(value) : undefined;
}
