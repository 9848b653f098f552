import { Document } from '../diff/document.ts';
import { diffDocuments } from '../diff/diff.ts';
import { InspectorError } from '../errors.ts';
import { missedIn } from './absence.ts';
import { eventsOf, type Event } from './events.ts';
import { Survey, type Places } from './places.ts';
import { Relations } from './relations.ts';
import { odditiesOf, oddKey, siblingsOf, type Oddity } from './siblings.ts';
import type { DiagnosedStep } from './types.ts';

/** A change with what can be seen of it in the two states around it. */
export interface Seen {
  readonly event: Event;
  /** How it is unlike the entries beside it, less what it was before. */
  readonly oddities: readonly Oddity[];
  /** Relations between the fields of its entry that hold for the others. */
  readonly relations: readonly string[];
}

/** A step that writes more values is a load: only so many of them are compared with their neighbours. */
const COMPARED = 600;

/** Goes over a branch once, the root first. */
export class Examination {
  readonly steps: DiagnosedStep[] = [];
  readonly seen: Seen[] = [];
  /** Values that all others of their kind got in a step, and these did not. */
  readonly missed: Event[] = [];
  readonly #ignore: readonly string[];
  readonly #places: Places = new Map();
  #last: Survey | undefined;

  constructor(ignore: readonly string[] = []) {
    this.#ignore = ignore;
  }

  /** The last state that could be read. */
  get last(): Survey | undefined {
    return this.#last;
  }

  observe(step: DiagnosedStep): void {
    const at = this.steps.length;
    this.steps.push(step);
    const after = step.text === undefined ? undefined : surveyed(step.text, this.#places);
    if (after === undefined) return;
    const before = this.#last;
    this.#last = after;
    const items = before
      ? diffDocuments(before.document, after.document, { ignore: this.#ignore }).items
      : [{ path: '$', kind: 'added' as const, after: step.text ?? '' }];
    const events = eventsOf(at, items, before, after);
    const relations = new Relations(after);
    for (const [index, event] of events.entries()) {
      this.seen.push(index < COMPARED ? look(event, before, after, relations) : { event, oddities: [], relations: [] });
    }
    if (before) this.missed.push(...missedIn(at, events, after));
  }
}

/** A state that is no JSON is a gap. */
function surveyed(text: string, known: Places): Survey | undefined {
  try {
    return new Survey(new Document(text), known);
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

function look(event: Event, before: Survey | undefined, after: Survey, relations: Relations): Seen {
  if (event.after === undefined) return { event, oddities: [], relations: [] };
  const key = event.kind === 'added' ? oddKey(after, event) : undefined;
  const siblings = odditiesOf(event.after, siblingsOf(after, event));
  const now = key ? [...siblings, { why: 'key' as const, strength: 0.9, ...key }] : siblings;
  const was = now.length > 0 && before && event.before ? odditiesOf(event.before, siblingsOf(before, event)) : [];
  const oddities = now.flatMap((oddity) => {
    const same = was.find(({ why }) => why === oddity.why);
    const strength = oddity.strength - (same?.strength ?? 0);
    return strength > 0.05 ? [{ ...oddity, strength }] : [];
  });
  return { event, oddities, relations: relations.brokenAt(event).map(({ words }) => words) };
}
