import { textIn } from '../folder/view.ts';
import { brief, unreadableLine, type Line, type Mark, type Outline } from '../log/index.ts';
import { MessageIds } from './ids.ts';
import { callsOf, modelOf, promptOf, timeOf, tokensOf, typeOf, wordsOf } from './message.ts';
import { readRecord, type ChatRecord, type Message, type SessionRecord } from './records.ts';

/** What further lines of the same stem change. */
interface Open {
  readonly stem: string;
  mark: Mark;
}

type Facts = Partial<Omit<Mark, 'id' | 'start' | 'end'>>;

/**
 * Finds the checkpoints of a chat: its begin and each resume, every prompt, answer and call of tools, every rewind, and
 * every list that replaces the messages by others. What the program notes besides belongs to the one before.
 */
export class ChatOutline implements Outline {
  readonly #settle: (mark: Mark) => void;
  readonly #task: string;
  /** The message list now. */
  readonly #current = new MessageIds();
  /** Of every message so far, the last mark that it was in. */
  readonly #markOf = new Map<string, string>();
  readonly #ids = new Map<string, number>();
  #open: Open | undefined;
  /** The mark that the next one follows, and that of the begin. */
  #head: string | undefined;
  #first: string | undefined;
  /** Where the lines of the next mark begin. */
  #from = 0;
  #isWhole = false;
  #isResuming = false;
  /** The last message whose tokens a mark has. */
  #counted: string | undefined;

  constructor(settle: (mark: Mark) => void, task: string) {
    this.#settle = settle;
    this.#task = task;
  }

  line(line: Line): void {
    this.#isWhole ||= line.at === 0;
    const record = recordIn(line);
    if (!record) return this.#unreadable(line);
    if (record.kind === 'rewind') this.#rewind(record.to, line);
    else if (record.kind === 'message') this.#message(record.message, line);
    else if (record.kind === 'header') this.#header(record, line);
    else if (record.kind === 'set') this.#set(record, line);
    else this.#extend(line);
  }

  open(): readonly Mark[] {
    return this.#open ? [this.#open.mark] : [];
  }

  #header(record: SessionRecord, line: Line): void {
    const time = textIn(record.fields, 'startTime');
    const isFirst = line.at === 0;
    const words = isFirst ? 'Session started' : 'Session resumed';
    this.#isResuming = true;
    this.#begin(`${time ?? line.at}#${isFirst ? 'start' : 'resume'}`, line, { time, description: words });
    if (isFirst) this.#first = this.#head;
    for (const message of record.messages ?? []) this.#add(message.id);
  }

  #set(record: SessionRecord, line: Line): void {
    const { messages } = record;
    if (!messages) return this.#extend(line);
    if (this.#isResuming) this.#extend(line, { parent: this.#parentIn(messages, this.#open?.mark.id) });
    else if (this.#isMore(messages)) this.#grow(messages, line);
    else {
      const time = textIn(record.fields, 'lastUpdated');
      const description = `Messages replaced: ${messages.length} of now for ${this.#current.length} before`;
      const facts = { time, description, trigger: 'update' as const, parent: this.#parentIn(messages) };
      this.#begin(`${time ?? line.at}#snapshot`, line, facts);
    }
    this.#current.cut(0);
    for (const { id } of messages) this.#add(id);
  }

  /** True for a list that has all messages of now and new ones behind them. */
  #isMore(messages: readonly Message[]): boolean {
    const last = messages.at(-1);
    if (!last || this.#current.placeOf(last.id) !== undefined) return false;
    // From the middle of a log not all are known: results of calls go on, anything else replaces.
    if (this.#current.length === 0 && !this.#isWhole) return !isTurn(last);
    const ids = new Set(messages.map(({ id }) => id));
    return this.#current.list.every((id) => ids.has(id));
  }

  /** Results of calls come in a list of all messages: they belong to the call. */
  #grow(messages: readonly Message[], line: Line): void {
    const turn = messages.findLast((message) => this.#current.placeOf(message.id) === undefined && isTurn(message));
    if (turn && this.#isWhole) this.#turn(turn, line);
    else this.#extend(line);
  }

  #message(message: Message, line: Line): void {
    this.#isResuming = false;
    if (isTurn(message)) this.#turn(message, line);
    else this.#extend(line);
    this.#add(message.id);
  }

  /** An answer is written again once its calls have ended: with words it was a checkpoint before, else it becomes one. */
  #turn(message: Message, line: Line): void {
    const call = wordsOf(message) === '' ? undefined : callsOf(message).at(-1)?.id;
    const stem = call || message.id;
    const tokens = this.#counted === message.id && this.#open?.stem !== stem ? undefined : tokensOf(message);
    if (tokens !== undefined) this.#counted = message.id;
    const facts = { time: timeOf(message), ...turnOf(message), tokenUsage: tokens, agentId: modelOf(message) };
    if (this.#open?.stem === stem) this.#extend(line, facts);
    else this.#begin(stem, line, facts);
  }

  #rewind(to: string, line: Line): void {
    this.#isResuming = false;
    const at = this.#current.placeOf(to);
    // Where the id isn't in the list, the loader drops everything.
    this.#current.cut(at ?? 0);
    const last = this.#current.list.at(-1);
    const back = last === undefined ? this.#first : this.#markOf.get(last);
    const isLost = this.#isWhole && at === undefined;
    const description = isLost ? "Cleared: the message to rewind to doesn't exist" : 'Rewound';
    const facts = { description, trigger: 'restore' as const, parent: this.#edge(back) };
    this.#begin(`${to}#rewind`, line, facts);
    if (last !== undefined) this.#markOf.set(last, this.#head ?? '');
  }

  #unreadable(line: Line): void {
    this.#close();
    this.#settle({ ...unreadableLine(line, "The line isn't valid JSON; Gemini CLI skips it."), parent: 'none' });
    this.#from = line.end;
  }

  #begin(stem: string, line: Line, facts: Facts): void {
    this.#close();
    const [id, start] = [this.#unique(stem), this.#from || line.at];
    const parent = this.#edge(this.#head);
    this.#open = { stem, mark: merged({ id, start, end: line.end, status: 'completed', parent }, facts) };
    this.#head = id;
  }

  #extend({ end }: Line, facts: Facts = {}): void {
    if (this.#open) this.#open.mark = merged({ ...this.#open.mark, end }, facts);
  }

  #close(): void {
    for (const mark of this.open()) {
      this.#settle(mark);
      this.#from = mark.end;
    }
    this.#open = undefined;
  }

  #add(id: string): void {
    this.#current.add(id);
    if (this.#open) this.#markOf.set(id, this.#open.mark.id);
  }

  /** A list follows the mark that its last message was in. */
  #parentIn(messages: readonly Message[], not?: string): Mark['parent'] {
    const back = messages.findLast(({ id }) => this.#markOf.has(id) && this.#markOf.get(id) !== not);
    return back && this.#edge(this.#markOf.get(back.id));
  }

  /** Before the first line is known, the order of the file is all there is. */
  #edge(id: string | undefined): Mark['parent'] {
    if (!this.#isWhole) return undefined;
    return id === undefined ? 'none' : { task: this.#task, id };
  }

  #unique(stem: string): string {
    const count = (this.#ids.get(stem) ?? 0) + 1;
    this.#ids.set(stem, count);
    return count === 1 ? stem : `${stem}#${count}`;
  }
}

/** Facts that are there count. Each member by its name: spreading them costs more than reading the line. */
const merged = (mark: Mark, facts: Facts): Mark => ({
  id: mark.id,
  start: mark.start,
  end: mark.end,
  time: facts.time ?? mark.time,
  status: facts.status ?? mark.status,
  description: facts.description ?? mark.description,
  trigger: facts.trigger ?? mark.trigger,
  error: facts.error ?? mark.error,
  tokenUsage: facts.tokenUsage ?? mark.tokenUsage,
  agentId: facts.agentId ?? mark.agentId,
  parent: facts.parent ?? mark.parent,
});

function recordIn({ bytes }: Line): ChatRecord | undefined {
  try {
    return readRecord(bytes);
  } catch {
    return undefined;
  }
}

/** What a prompt, an answer or a call is called, and how far it is. */
function turnOf(message: Message): Pick<Mark, 'status' | 'description' | 'trigger' | 'error'> {
  const words = wordsOf(message);
  const prompt = promptOf(message);
  if (prompt !== undefined) return { status: 'running', description: brief(prompt), trigger: 'input' };
  if (typeOf(message) === 'error')
    return { status: 'failed', description: brief(words), trigger: 'error', error: words };
  const calls = callsOf(message);
  if (calls.length === 0)
    return { status: 'completed', description: brief(words) || 'Answer without text', trigger: 'auto' };
  const asks = calls.some(({ status }) => status === 'awaiting_approval');
  const names = calls.map(({ name, status, on }) => {
    const words = on === undefined ? name : `${name} ${on}`;
    return status === 'success' || status === '' ? words : `${words} (${status})`;
  });
  return { status: asks ? 'interrupted' : 'running', description: brief(names.join(', ')), trigger: 'auto' };
}

const isTurn = (message: Message): boolean =>
  promptOf(message) !== undefined || ['gemini', 'error'].includes(typeOf(message));
