/** The checkpoints of a rollout: each turn, and each call of a tool in it. */
import { brief, unreadableLine, type Line, type LogFacts, type Mark, type Outline } from '../log/index.ts';
import { numberIn, recordOf, textIn, type Fields } from '../folder/view.ts';
import { asksPerson, callWords, isCall, isOutput, kindOf, payloadIn, userWords, type Kind } from './records.ts';

interface OpenCall {
  readonly mark: Mark;
  readonly words: string;
}

const NOT_A_RECORD = "The line isn't a record of Codex.";
/** In an answer the id of its call comes before what may be long. */
const ID_BYTES = 600;
const CALL_ID = /"call_id":"([^"\\]+)"/;
const TURN_ID = /"turn_id":"([^"\\]+)"/;
const PERSON = /"type":"(?:UserMessage|user_message)"/;
const ASSISTANT = /"role":"assistant"/;

/** The words that Codex ends a turn with. */
const ENDS: ReadonlySet<string | undefined> = new Set(['task_complete', 'turn_aborted', 'turn_complete']);
const STARTS: ReadonlySet<string | undefined> = new Set(['task_started', 'turn_started']);

export function codexOutline(settle: (mark: Mark) => void, _file: unknown, facts: LogFacts): Outline {
  return new CodexOutline(settle, facts);
}

class CodexOutline implements Outline {
  readonly #settle: (mark: Mark) => void;
  readonly #facts: LogFacts;
  readonly #calls = new Map<string, OpenCall>();
  /** The turn that has no end yet. */
  #turn: Mark | undefined;
  /** The same where turns have no ends at all: 0.96 wrote only who said what. */
  #old: Mark | undefined;
  /** Lines before the first one are not told. */
  #isPartial: boolean | undefined;
  #error: string | undefined;
  /** What a person asked in this turn: it says what the turn is. */
  #question: string | undefined;
  /** Where the state may be read from: the context before the last line that replaces the history. */
  #from: number | undefined;
  #context = 0;
  /** The last count of tokens, read only where a mark is made. */
  #count: Buffer | undefined;
  #tokens: number | undefined;

  constructor(settle: (mark: Mark) => void, facts: LogFacts) {
    this.#settle = settle;
    this.#facts = facts;
  }

  line(line: Line): void {
    const kind = kindOf(line);
    if (!kind) return this.#settle(unreadableLine(line, NOT_A_RECORD));
    this.#isPartial ??= line.at > 0;
    if (this.#isPartial && !this.#turn) this.#turnInside(line, kind);
    if (kind.type === 'response_item') return this.#item(line, kind);
    if (kind.type === 'event_msg') return this.#event(line, kind);
    if (kind.type === 'session_meta') return this.#session(line, kind);
    if (kind.type === 'turn_context') this.#context = line.at;
    else if (kind.type === 'compacted') this.#compacted(line, kind);
  }

  open(): readonly Mark[] {
    const asked = [...this.#calls.values()].map(({ mark }) => mark);
    const turn = this.#turn ?? this.#old;
    return asked.length === 0 && turn ? [turn] : asked;
  }

  /** The turn that the first lines are in the middle of. */
  #turnInside({ bytes, end }: Line, { type, of, time }: Kind): void {
    if (type !== 'token_usage_record' && of !== 'item_completed') return;
    const id = TURN_ID.exec(bytes.toString('latin1', 0, ID_BYTES))?.[1];
    if (id !== undefined) this.#turn = { id, end, time, status: 'running', description: 'Turn' };
  }

  #session(line: Line, { time }: Kind): void {
    const { base, key, session } = this.#facts;
    if (!base || line.at > 0) return;
    const isRevert = key !== undefined && key !== session;
    this.#put({
      id: key ?? session,
      end: line.end,
      time,
      status: 'completed',
      trigger: isRevert ? 'restore' : 'fork',
      description: isRevert ? 'Reverted' : 'Forked',
    });
  }

  #compacted(line: Line, { time }: Kind): void {
    const payload = payloadIn(line.bytes);
    if (!payload) return this.#settle(unreadableLine(line, NOT_A_RECORD));
    // Only with the new history is it a snapshot.
    if (Array.isArray(payload['replacement_history'])) this.#from = Math.min(this.#context, line.at);
    this.#put({
      id: `compacted-${line.at}`,
      end: line.end,
      time,
      status: 'completed',
      description: 'Compacted history',
    });
  }

  #item(line: Line, { of, time }: Kind): void {
    if (isOutput(of)) return this.#answered(line, time);
    if (isCall(of)) return this.#called(line, time);
    if (this.#turn) return this.#touch(line, time);
    // What a person says next, and the context before it, is no longer of the turn.
    const isAnswer = of === 'message' && ASSISTANT.test(line.bytes.toString('latin1', 0, ID_BYTES));
    if (isAnswer && this.#old) this.#old = { ...this.#old, end: line.end, time, status: 'completed' };
  }

  #called(line: Line, time: string): void {
    const call = payloadIn(line.bytes);
    if (!call) return this.#settle(unreadableLine(line, NOT_A_RECORD));
    const id = textIn(call, 'call_id');
    // Such as a search that the model's server ran itself: it has no answer of its own.
    if (id === undefined) return this.#touch(line, time);
    const words = callWords(call);
    const status = asksPerson(call) ? 'interrupted' : 'running';
    this.#calls.set(id, {
      words,
      mark: { id, start: line.at, end: line.end, time, status, description: words, ...this.#place() },
    });
  }

  #answered(line: Line, time: string): void {
    const id = CALL_ID.exec(line.bytes.toString('latin1', 0, ID_BYTES))?.[1] ?? idIn(payloadIn(line.bytes));
    if (id === undefined) return this.#settle(unreadableLine(line, NOT_A_RECORD));
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const description = call?.words ?? 'Answer of a tool';
    this.#put({ id, end: line.end, time, status: 'completed', description });
    this.#touch(line, time);
    if (this.#old) this.#old = { ...this.#old, status: 'running' };
  }

  #event(line: Line, kind: Kind): void {
    const { of, time } = kind;
    if (of === 'token_count') this.#counted(line);
    if (STARTS.has(of)) return this.#started(line, time);
    if (ENDS.has(of)) return this.#ended(line, kind);
    if (of === 'item_completed' || of === 'user_message') this.#listen(line);
    if (of === 'user_message' && !this.#turn) return this.#asked(line, time);
    if (of === 'error') this.#error = textIn(payloadIn(line.bytes) ?? {}, 'message');
    this.#touch(line, time);
  }

  #counted({ bytes }: Line): void {
    this.#count = Buffer.from(bytes);
    if (this.#tokens !== undefined) return;
    // What the thread had used before its first count here.
    const first = countIn(bytes);
    this.#tokens = first && first.total - first.last;
  }

  #listen({ bytes }: Line): void {
    // The other items are what tools printed: long, and not needed.
    if (!PERSON.test(bytes.toString('latin1', 0, ID_BYTES))) return;
    const words = userWords(payloadIn(bytes) ?? {});
    if (words === undefined || words.trim() === '') return;
    this.#question = brief(words);
    if (this.#turn) this.#turn = { ...this.#turn, description: this.#question };
  }

  #started(line: Line, time: string): void {
    this.#closeOpen();
    const id = textIn(payloadIn(line.bytes) ?? {}, 'turn_id') ?? `turn-${line.at}`;
    this.#turn = { id, end: line.end, time, status: 'running', description: 'Turn', ...this.#place() };
  }

  /** A turn of the older form begins with what was asked, and ends where the next one begins. */
  #asked({ at, end }: Line, time: string): void {
    const description = this.#question ?? 'Turn';
    this.#closeOpen();
    this.#old = { id: `turn-${at}`, end, time, status: 'running', description, ...this.#place() };
  }

  /** A turn that was killed, and another after it: what it had is kept where it ended. */
  #closeOpen(): void {
    for (const mark of this.open()) {
      if (mark.status === 'completed') this.#put(mark);
      else this.#settle({ ...mark, status: 'interrupted' });
    }
    this.#calls.clear();
    this.#error = undefined;
    this.#question = undefined;
    this.#turn = undefined;
    this.#old = undefined;
  }

  #ended(line: Line, { of, time }: Kind): void {
    const payload = payloadIn(line.bytes);
    if (!payload) return this.#settle(unreadableLine(line, NOT_A_RECORD));
    const id = textIn(payload, 'turn_id') ?? this.#turn?.id ?? `turn-${line.at}`;
    const error = errorIn(payload['error']) ?? this.#error;
    const aborted = of === 'turn_aborted';
    const status = error !== undefined ? 'failed' : aborted ? 'interrupted' : 'completed';
    const duration = numberIn(payload, 'duration_ms');
    const description = this.#question ?? (aborted ? 'Turn, aborted' : 'Turn');
    this.#turn = undefined;
    this.#old = undefined;
    this.#error = undefined;
    this.#question = undefined;
    this.#calls.clear();
    this.#put({
      id,
      end: line.end,
      time,
      status,
      description,
      ...(error === undefined ? {} : { error, trigger: 'error' }),
      ...(duration === undefined ? {} : { durationMs: duration }),
    });
  }

  /** A turn goes on: its checkpoint is as far as its lines. */
  #touch({ end }: Line, time: string): void {
    if (this.#turn) this.#turn = { ...this.#turn, end, time };
    if (this.#old) this.#old = { ...this.#old, end, time };
  }

  #put(mark: Mark): void {
    const tokenUsage = this.#usedSince();
    this.#settle({ ...mark, ...this.#place(), ...(tokenUsage === undefined ? {} : { tokenUsage }) });
  }

  #place(): Pick<Mark, 'from'> {
    return this.#from === undefined ? {} : { from: this.#from };
  }

  /** Tokens since the mark before: what is stored is the sum of the whole thread. */
  #usedSince(): number | undefined {
    const count = this.#count && countIn(this.#count);
    this.#count = undefined;
    if (count === undefined) return undefined;
    const used = count.total - (this.#tokens ?? count.total - count.last);
    this.#tokens = count.total;
    return used > 0 ? used : undefined;
  }
}

const idIn = (payload: Fields | undefined): string | undefined => payload && textIn(payload, 'call_id');

/** Tokens of the thread, and of its last request. */
function countIn(bytes: Buffer): { readonly total: number; readonly last: number } | undefined {
  const info = recordOf(payloadIn(bytes)?.['info']);
  const total = numberIn(recordOf(info['total_token_usage']), 'total_tokens');
  const last = numberIn(recordOf(info['last_token_usage']), 'total_tokens') ?? 0;
  return total === undefined ? undefined : { total, last };
}

/** The words of a turn's error, which may be the answer of a server. */
function errorIn(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  return textIn(recordOf(error), 'message');
}
