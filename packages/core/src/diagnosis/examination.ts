import { Document } from '../diff/document.ts';
import { rowsBetween } from '../diff/diff.ts';
import { InspectorError } from '../errors.ts';
import { missedIn } from './absence.ts';
import { eventsOf, type Event } from './events.ts';
import { Shared, Survey } from './places.ts';
import { Relations } from './relations.ts';
import { odditiesOf, oddHolder, oddKey, siblingsOf, type Oddity } from './siblings.ts';
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
  readonly #shared = new Shared();
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
    const after = step.text === undefined ? undefined : surveyed(step.text, this.#shared);
    if (after === undefined) return;
    const before = this.#last;
    this.#last = after;
    const rows = before
      ? rowsBetween(before.document, after.document, { ignore: this.#ignore })
      : [{ path: [], kind: 'added' as const, now: after.document.root }];
    const events = eventsOf(at, rows, before, after);
    const relations = new Relations(after);
    for (const [index, event] of events.entries()) {
      this.seen.push(index < COMPARED ? look(event, before, after, relations) : plain(event));
    }
    if (before) this.missed.push(...missedIn(at, events, after));
  }
}

/** A state that is not JSON is a gap. */
function surveyed(text: string, shared: Shared): Survey | undefined {
  try {
    return new Survey(new Document(text), shared);
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

const NOTHING: readonly never[] = [];

/** Nothing about it is odd. */
const plain = (event: Event): Seen => ({ event, oddities: NOTHING, relations: NOTHING });

function look(event: Event, before: Survey | undefined, after: Survey, relations: Relations): Seen {
  if (event.after === undefined) return plain(event);
  const key = event.kind === 'added' ? oddKey(after, event.place) : undefined;
  const holder = event.kind === 'added' ? oddHolder(after, event.place) : undefined;
  const now = odditiesOf(event.after, siblingsOf(after, event.place));
  if (key) now.push({ why: 'key', strength: 0.9, ...key });
  if (holder) now.push({ why: 'holder', strength: 0.9, ...holder });
  const broken = relations.brokenAt(event.place);
  if (now.length === 0 && broken.length === 0) return plain(event);
  const was = now.length > 0 && before && event.before ? odditiesOf(event.before, siblingsOf(before, event.place)) : [];
  const oddities = now.flatMap((oddity) => {
    const same = was.find(({ why }) => why === oddity.why);
    const strength = oddity.strength - (same?.strength ?? 0);
    return strength > 0.05 ? [{ ...oddity, strength }] : [];
  });
  return { event, oddities, relations: broken.map(({ words }) => words) };
}
