import { rngOf, type Rng } from './rng.ts';
import type { DateStyle } from './world.ts';

export type CaseSet = 'tune' | 'held-out';

/** How one run writes things down: drawn once, the same on all its branches. */
export interface Style {
  readonly seed: number;
  readonly set: CaseSet;
  /** How a tool's answer gets into the state. */
  readonly evidence: 'lines' | 'messages' | 'rows' | 'none';
  /** Whether tools tell this field. */
  tells(collection: string, field: string): boolean;
  readonly talk: { readonly list: string; readonly role: string; readonly text: string; readonly parts: boolean };
  /** How many messages are kept; 0: all. */
  readonly window: number;
  /** Where the rows of the last answer are, and where the error is told. */
  readonly names: { readonly answer: string; readonly error: string; readonly checks: string };
  readonly thousands: boolean;
  readonly indent: number;
  readonly dates: DateStyle;
  readonly scale: number;
  /** Whether a step's description names what it works on. */
  readonly namesIds: boolean;
  readonly chatty: number;
  /** The state begins with the bookkeeping and ends with the work. */
  readonly workLast: boolean;
}

const TALK = {
  tune: [
    { list: 'messages', role: 'role', text: 'content', parts: false },
    { list: 'conversation', role: 'speaker', text: 'text', parts: false },
    { list: 'chat', role: 'role', text: 'content', parts: true },
  ],
  'held-out': [
    { list: 'transcript', role: 'from', text: 'body', parts: false },
    { list: 'turns', role: 'author', text: 'parts', parts: true },
    { list: 'dialog', role: 'kind', text: 'says', parts: false },
  ],
};

const NAMES = {
  tune: [
    { answer: 'last_result', error: 'lastError', checks: 'checks' },
    { answer: 'toolOutput', error: 'error', checks: 'validation' },
    { answer: 'observation', error: 'failure', checks: 'assertions' },
  ],
  'held-out': [
    { answer: 'inbox', error: 'problem', checks: 'gates' },
    { answer: 'response', error: 'exception', checks: 'audit' },
    { answer: 'payload', error: 'stopped_by', checks: 'acceptance' },
  ],
};

export function styleOf(seed: number, set: CaseSet): Style {
  const rng = rngOf(seed, set, 'style');
  return {
    seed,
    set,
    evidence: evidenceOf(rng),
    tells: teller(seed),
    talk: rng.pick(TALK[set]),
    window: rng.chance(0.35) ? rng.int(5, 12) : 0,
    names: rng.pick(NAMES[set]),
    thousands: rng.chance(0.25),
    indent: rng.pick([0, 0, 2]),
    dates: rng.pick(['iso', 'iso', 'time', 'dots', 'slashes']),
    scale: rng.pick([0.7, 1, 1, 1.3, 1.6, 2.2]),
    namesIds: rng.chance(0.5),
    chatty: rng.pick([0.2, 0.5, 0.8]),
    workLast: rng.chance(0.5),
  };
}

/** Draws once for every field. */
function teller(seed: number): Style['tells'] {
  const known = new Map<string, boolean>();
  return (collection, field) => {
    const key = `${collection} ${field}`;
    const told = known.get(key) ?? rngOf(seed, 'tells', key).chance(0.72);
    known.set(key, told);
    return told;
  };
}

function evidenceOf(rng: Rng): Style['evidence'] {
  const drawn = rng.next();
  if (drawn < 0.4) return 'lines';
  if (drawn < 0.62) return 'messages';
  return drawn < 0.84 ? 'rows' : 'none';
}
