/**
 * Pickles, read as data. Only opcodes and names on a closed list are known; nothing is imported, called or built from
 * what a pickle names, and any other opcode or name refuses it.
 */
import { InspectorError } from '@checkpoint-inspector/core';
import { codeOf, damagedPickle, Machine } from './machine.ts';
import { Dict, Global, Text, type Pickled } from './value.ts';

type Step = (machine: Machine, rules: Rules) => void;

/** What a pickle may contain. */
export interface Rules {
  readonly steps: ReadonlyMap<number, Step>;
  /** @throws InspectorError unsupported_version, for a name that is not known */
  readonly global: (name: string) => Global;
  /** The value that `callable(*args)` describes. @throws InspectorError unsupported_version | unreadable */
  readonly call: (callable: Pickled, args: readonly Pickled[]) => Pickled;
}

export const stepsOf = (steps: Readonly<Record<string, Step>>): ReadonlyMap<number, Step> =>
  new Map(Object.entries(steps).map(([name, step]) => [codeOf(name), step]));

/** @throws InspectorError unreadable | unsupported_version | too_large */
export function readPickle(bytes: Uint8Array, rules: Rules): Pickled {
  const machine = new Machine(bytes);
  if (machine.opcode() !== PROTO) throw damagedPickle("doesn't begin with its protocol", 0);
  machine.skip(1);
  for (;;) {
    const code = machine.opcode();
    if (code === STOP) break;
    const step = rules.steps.get(code);
    if (step === undefined) throw machine.refuse(code);
    step(machine, rules);
  }
  if (machine.at !== bytes.length) throw damagedPickle(`has ${bytes.length - machine.at} more bytes`, machine.at);
  return machine.result();
}

const PROTO = codeOf('PROTO');
const STOP = codeOf('STOP');

/** So many values become one tuple. */
export const tuple =
  (size: number): Step =>
  (machine) =>
    machine.push(machine.popMany(size));

/** The opcodes of protocol 2 that LangGraph's files have: no others are needed for dicts, tuples, texts and bytes. */
export const FILE_STEPS = stepsOf({
  NONE: (machine) => machine.push(null),
  BININT: (machine) => machine.push(machine.view.getInt32(machine.skip(4), true)),
  BININT1: (machine) => machine.push(machine.view.getUint8(machine.skip(1))),
  BININT2: (machine) => machine.push(machine.view.getUint16(machine.skip(2), true)),
  BINUNICODE: (machine) => machine.push(new Text(machine.take(machine.view.getUint32(machine.skip(4), true)))),
  EMPTY_DICT: (machine) => machine.push(new Dict()),
  EMPTY_TUPLE: tuple(0),
  TUPLE1: tuple(1),
  TUPLE2: tuple(2),
  TUPLE3: tuple(3),
  MARK: (machine) => machine.mark(),
  TUPLE: (machine) => machine.push(machine.popMarked()),
  SETITEM: (machine) => machine.setItems(machine.popMany(2)),
  SETITEMS: (machine) => machine.setItems(machine.popMarked()),
  BINPUT: (machine) => machine.remember(machine.view.getUint8(machine.skip(1))),
  LONG_BINPUT: (machine) => machine.remember(machine.view.getUint32(machine.skip(4), true)),
  BINGET: (machine) => machine.recall(machine.view.getUint8(machine.skip(1))),
  LONG_BINGET: (machine) => machine.recall(machine.view.getUint32(machine.skip(4), true)),
  GLOBAL: (machine, rules) => machine.push(rules.global(`${machine.line()}.${machine.line()}`)),
  REDUCE: (machine, rules) => {
    const [callable = null, args] = machine.popMany(2);
    if (!Array.isArray(args)) throw damagedPickle('calls with something other than a tuple', machine.at);
    machine.push(rules.call(callable, args));
  },
});

const DEFAULT_DICT = 'collections.defaultdict';
const DICT = '__builtin__.dict';
const BYTES = '__builtin__.bytes';
const ENCODE = '_codecs.encode';
const KNOWN = new Set([DEFAULT_DICT, DICT, BYTES, ENCODE]);

/** Of the files of `langgraph dev`: four names, each with the one form in which Python writes it. */
export const FILE_RULES: Rules = {
  steps: FILE_STEPS,
  global: (name) => {
    if (KNOWN.has(name)) return new Global(name);
    throw refusedName(name);
  },
  call: (callable, args) => {
    const known = callable instanceof Global ? knownCall(callable.name, args) : undefined;
    if (known === undefined) throw refusedCall(callable);
    return known;
  },
};

/** What the known names make of these arguments; `undefined` for anything that Python does not write. */
export function knownCall(name: string, args: readonly Pickled[]): Pickled | undefined {
  const [first, second] = args;
  if (name === ENCODE && args.length === 2 && first instanceof Text && second instanceof Text) {
    return second.toString() === 'latin1' ? first.latin1() : undefined;
  }
  if (name === BYTES && args.length === 0) return new Uint8Array();
  if (name === DICT && args.length === 0) return new Dict();
  const isOfDicts = args.length === 1 && first instanceof Global && first.name === DICT;
  return name === DEFAULT_DICT && isOfDicts ? new Dict() : undefined;
}

function refusedName(name: string): InspectorError {
  return new InspectorError('unsupported_version', `The pickle names ${name}, which isn't read.`, {
    remedy: 'Nothing in the pickle was executed. Look at the raw bytes.',
  });
}

function refusedCall(callable: Pickled): InspectorError {
  const what = callable instanceof Global ? `${callable.name} in a form` : 'something';
  return new InspectorError('unreadable', `The pickle calls ${what} that LangGraph doesn't write.`);
}
