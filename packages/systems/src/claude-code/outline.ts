import type { CheckpointRef } from '@checkpoint-inspector/core';
import { textIn } from '../folder/view.ts';
import { unreadableLine, type Line, type Mark, type Outline } from '../log/index.ts';
import { readLine, tokensOf, type Entry } from './entries.ts';
import { FAILED_RESULT, stepOf, THINKING, type Step } from './steps.ts';

/** What further lines of the same stem change. */
interface Open {
  readonly stem: string;
  mark: Mark;
}

export interface OutlineOptions {
  readonly task: string;
  /** A file of a sub-agent: all its lines are of a side chain. */
  readonly isAgent: boolean;
  /** The call that began a sub-agent. */
  readonly begunBy?: CheckpointRef | undefined;
}

/**
 * Finds the checkpoints of a transcript: prompts, answers, and calls with their results. Each follows the line that it
 * names. Those of a side chain come before the open one of the conversation, so that the last is always of that.
 */
export class TranscriptOutline implements Outline {
  readonly #settle: (mark: Mark) => void;
  readonly #options: OutlineOptions;
  /** Of each line in the chain, the mark that it is in or follows. */
  readonly #markOf = new Map<string, string | undefined>();
  readonly #ids = new Map<string, number>();
  #main: Open | undefined;
  #side: Open | undefined;
  /** Everything before is in a mark. */
  #covered = 0;
  #isWhole = false;
  #first = '';
  #missing = 0;
  #uncompacted = 0;
  #counted = { id: '', tokens: 0 };

  constructor(settle: (mark: Mark) => void, options: OutlineOptions) {
    this.#settle = settle;
    this.#options = options;
  }

  line(line: Line): void {
    if (line.at === 0) this.#isWhole = true;
    else if (!this.#isWhole && this.#covered === 0) this.#covered = line.at;
    const read = lineIn(line);
    if (!read) return this.#unreadable(line);
    if (line.at === 0) this.#first = read.type;
    const { entry } = read;
    const step = entry && stepOf(entry);
    if (!entry || !step) {
      if (entry) this.#markOf.set(entry.uuid, this.#markOf.get(entry.parent ?? ''));
      return this.#extend(line);
    }
    const isSide = entry.isSide && !this.#options.isAgent;
    const open = isSide ? this.#side : this.#main;
    if (open?.stem === step.stem && this.#markOf.get(entry.parent ?? '') === open.mark.id)
      this.#goOn(open, step, entry, line);
    else this.#begin(step, entry, line, isSide);
    this.#markOf.set(entry.uuid, (isSide ? this.#side : this.#main)?.mark.id);
  }

  open(): readonly Mark[] {
    return [this.#side, this.#main].flatMap((open) => (open ? [open.mark] : []));
  }

  /** Damage that Claude Code has been reported to stumble over. */
  note(): string | undefined {
    const notes = [
      this.#first === 'pr-link' &&
        'The file begins with a pr-link line: Claude Code was reported not to resume such a session (issue 62851).',
      this.#missing > 0 &&
        `${this.#missing} messages name a parent that this file doesn't contain: what was before them is out of reach (issue 24304).`,
      this.#uncompacted > 0 &&
        `${this.#uncompacted} compactions follow a message that this file doesn't contain: Claude Code was reported not to resume such a session (issue 40027).`,
    ].filter((note) => note !== false);
    return notes.length > 0 ? notes.join(' ') : undefined;
  }

  #begin(step: Step, entry: Entry, line: Line, isSide: boolean): void {
    this.#close(isSide);
    const parent = this.#parentOf(entry);
    const lost = parent.isLost ? ' (its parent is missing)' : '';
    const mark: Mark = {
      id: this.#unique(step.id),
      start: this.#covered,
      end: line.end,
      time: textIn(entry.record, 'timestamp'),
      status: step.status,
      description: `${isSide ? 'Side chain: ' : ''}${step.description}${lost}`,
      trigger: step.trigger,
      error: step.error,
      tokenUsage: this.#newTokens(entry),
      agentId: isSide ? textIn(entry.record, 'agentId') : this.#modelOf(entry),
      parent: parent.ref,
    };
    this.#covered = line.end;
    const open = { stem: step.stem, mark };
    if (isSide) this.#side = open;
    else this.#main = open;
  }

  /** A further part of the same answer, or the result of a call. */
  #goOn(open: Open, step: Step, entry: Entry, line: Line): void {
    const { tokenUsage, description } = open.mark;
    const tokens = this.#newTokens(entry);
    const isResult = entry.type === 'user';
    const words = step.description === THINKING ? description : step.description;
    const resulted = step.description === FAILED_RESULT ? asFailed(description) : description;
    open.mark = {
      ...open.mark,
      end: line.end,
      status: isResult ? 'running' : step.status,
      description: isResult ? resulted : words,
      tokenUsage: tokens === undefined ? tokenUsage : (tokenUsage ?? 0) + tokens,
    };
    this.#covered = line.end;
  }

  /** Lines of no place of their own belong to the one that they follow. */
  #extend(line: Line): void {
    if (this.#covered !== line.at) return;
    const open = [this.#main, this.#side].find((one) => one?.mark.end === line.at);
    if (!open) return;
    open.mark = { ...open.mark, end: line.end };
    this.#covered = line.end;
  }

  #unreadable(line: Line): void {
    this.#settle({ ...unreadableLine(line, "The line isn't valid JSON."), start: this.#covered, parent: 'none' });
    this.#covered = line.end;
  }

  #parentOf(entry: Entry): { readonly ref?: CheckpointRef | 'none'; readonly isLost?: true } {
    const { parent, logicalParent } = entry;
    const named = parent ?? logicalParent;
    if (named === undefined) {
      const { begunBy } = this.#options;
      if (this.#markOf.size === 0 && begunBy) return { ref: begunBy };
      return this.#isWhole ? { ref: 'none' } : {};
    }
    // From the middle of a file most parents are unknown.
    if (!this.#isWhole && !this.#markOf.has(named)) return {};
    const id = this.#markOf.get(named);
    if (id !== undefined) return { ref: { task: this.#options.task, id } };
    if (this.#markOf.has(named)) return { ref: 'none' };
    if (parent === undefined) this.#uncompacted += 1;
    else this.#missing += 1;
    return { ref: 'none', isLost: true };
  }

  /** A sub-agent is known by its kind; errors have no model. */
  #modelOf({ message }: Entry): string | undefined {
    const model = this.#options.isAgent ? undefined : textIn(message, 'model');
    return model?.startsWith('<') ? undefined : model;
  }

  /** Each line of an answer repeats its usage; what was counted before isn't counted again. */
  #newTokens(entry: Entry): number | undefined {
    const tokens = tokensOf(entry);
    if (tokens === undefined) return undefined;
    const id = textIn(entry.message, 'id') ?? entry.uuid;
    const more = tokens - (this.#counted.id === id ? this.#counted.tokens : 0);
    this.#counted = { id, tokens };
    return more > 0 ? more : undefined;
  }

  #close(isSide: boolean): void {
    const open = isSide ? this.#side : this.#main;
    if (open) this.#settle(open.mark);
    if (isSide) this.#side = undefined;
    else this.#main = undefined;
  }

  #unique(id: string): string {
    const count = (this.#ids.get(id) ?? 0) + 1;
    this.#ids.set(id, count);
    return count === 1 ? id : `${id}#${count}`;
  }
}

const FAILED = ' (error)';

/** Once, however many results of a call have failed. */
const asFailed = (words = ''): string => (words.endsWith(FAILED) ? words : `${words}${FAILED}`);

function lineIn({ bytes }: Line): ReturnType<typeof readLine> | undefined {
  try {
    return readLine(bytes);
  } catch {
    return undefined;
  }
}
