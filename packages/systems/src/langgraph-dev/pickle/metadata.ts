/**
 * Metadata that the server pickled because one of its values, the user as a rule, is an object of a class of its own.
 * The plain values are read; of such an object there is its name, and nothing of what it holds.
 */
import { InspectorError, quoteJson } from '@checkpoint-inspector/core';
import { bytesText, dictText } from '../../langgraph/msgpack/extension.ts';
import { pythonFloat } from '../../langgraph/msgpack/output.ts';
import { damagedPickle, type Machine } from './machine.ts';
import { FILE_STEPS, knownCall, readPickle, stepsOf, type Rules } from './read.ts';
import { Dict, Float, Global, Inert, Text, type Pickled } from './value.ts';

/** The opcodes of protocols 4 and 5 for what metadata holds. */
const STEPS = stepsOf({
  FRAME: (machine) => void machine.skip(8),
  MEMOIZE: (machine) => machine.remember(),
  NEWTRUE: (machine) => machine.push(true),
  NEWFALSE: (machine) => machine.push(false),
  LONG1: (machine) => machine.push(integerOf(machine.take(machine.view.getUint8(machine.skip(1))))),
  BINFLOAT: (machine) => machine.push(new Float(machine.view.getFloat64(machine.skip(8)))),
  SHORT_BINUNICODE: (machine) => machine.push(new Text(machine.take(machine.view.getUint8(machine.skip(1))))),
  SHORT_BINBYTES: (machine) => machine.push(machine.take(machine.view.getUint8(machine.skip(1)))),
  BINBYTES: (machine) => machine.push(machine.take(machine.view.getUint32(machine.skip(4), true))),
  EMPTY_SET: (machine) => machine.push(new Inert('builtins.set')),
  ADDITEMS: (machine) => machine.addItems(machine.popMarked()),
  FROZENSET: (machine) => {
    machine.popMarked();
    machine.push(new Inert('builtins.frozenset'));
  },
  EMPTY_LIST: (machine) => machine.push([]),
  APPEND: (machine) => machine.addItems(machine.popMany(1)),
  APPENDS: (machine) => machine.addItems(machine.popMarked()),
  STACK_GLOBAL: (machine, rules) => {
    const [module, name] = machine.popMany(2);
    if (!(module instanceof Text) || !(name instanceof Text)) throw damagedPickle('names something else', machine.at);
    machine.push(rules.global(`${module.toString()}.${name.toString()}`));
  },
  NEWOBJ: (machine) => newObject(machine, 2),
  NEWOBJ_EX: (machine) => newObject(machine, 3),
  BUILD: (machine) => {
    machine.pop();
    if (!(machine.top() instanceof Inert)) throw damagedPickle('fills something else', machine.at);
  },
});

function newObject(machine: Machine, parts: number): void {
  const [of] = machine.popMany(parts);
  if (!(of instanceof Global)) throw damagedPickle('makes an object of no class', machine.at);
  machine.push(new Inert(of.name));
}

/** Of whatever is not plain, the name of its class. */
export const INERT_RULES: Rules = {
  steps: new Map([...FILE_STEPS, ...STEPS]),
  global: (name) => new Global(name),
  call: (callable, args) => {
    if (!(callable instanceof Global)) throw new InspectorError('unreadable', 'The pickle calls something else.');
    return knownCall(callable.name, args) ?? new Inert(callable.name);
  },
};

/** Metadata is small: of more than this, something is wrong. */
const MOST_VALUES = 100_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;
const DEEPEST = 100;

/** As JSON text. @throws InspectorError unreadable | unsupported_version | too_large */
export function metadataOfPickle(bytes: Uint8Array): string {
  return new Writer().text(readPickle(bytes, INERT_RULES), 0);
}

class Writer {
  #left = MOST_VALUES;
  #characters = 0;

  /** One value can be in many places, and in itself: what is written is bounded, not what is there. */
  text(value: Pickled, depth: number): string {
    const text = this.#left-- > 0 && depth <= DEEPEST ? this.#textOf(value, depth) : '';
    this.#characters += text.length;
    if (text === '' || this.#characters > MOST_CHARACTERS) {
      throw new InspectorError('too_large', 'The pickled metadata is too large.');
    }
    return text;
  }

  #textOf(value: Pickled, depth: number): string {
    if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint') {
      return String(value);
    }
    if (value instanceof Float) return pythonFloat(value.value);
    if (value instanceof Text) return quoteJson(value.toString());
    if (value instanceof Uint8Array) return bytesText(value);
    if (value instanceof Dict) {
      return dictText(value.entries.map(([key, item]) => [this.text(key, depth + 1), this.text(item, depth + 1)]));
    }
    if (Array.isArray(value)) return `[${value.map((item) => this.text(item, depth + 1)).join(',')}]`;
    return `{"$type":${quoteJson(value.name)}}`;
  }
}

/** Little-endian, two's complement; at most 255 bytes. */
function integerOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes.toReversed()) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(Math.max(1, bytes.length * 8), value);
}
