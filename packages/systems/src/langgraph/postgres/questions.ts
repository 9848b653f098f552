import type { PostgresReader } from '@checkpoint-inspector/io';

/** A question that can be asked about many things at once. */
export interface Open {
  readonly isOpen: boolean;
  /** Asks all that is open in one go. */
  fetch(reader: PostgresReader): Promise<void>;
}

/** Answers of one kind: what is not known yet is noted, and answered with a placeholder until it has been fetched. */
export class Question<A, T> implements Open {
  readonly #nothing: T;
  readonly #ask: (reader: PostgresReader, asked: readonly A[]) => Promise<readonly T[]>;
  readonly #known = new Map<string, { readonly answer: T }>();
  readonly #open = new Map<string, A>();

  /** @param ask one answer for each that is asked, in their order */
  constructor(nothing: T, ask: (reader: PostgresReader, asked: readonly A[]) => Promise<readonly T[]>) {
    this.#nothing = nothing;
    this.#ask = ask;
  }

  of(asked: A): T {
    const name = JSON.stringify(asked);
    const known = this.#known.get(name);
    if (known !== undefined) return known.answer;
    // No text in PostgreSQL holds a NUL, so nothing is there.
    if (!name.includes(String.raw`\u0000`)) this.#open.set(name, asked);
    return this.#nothing;
  }

  learn(asked: A, answer: T): void {
    this.#known.set(JSON.stringify(asked), { answer });
  }

  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  async fetch(reader: PostgresReader): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    if (open.length === 0) return;
    const answers = await this.#ask(
      reader,
      open.map(([, asked]) => asked),
    );
    for (const [at, [name]] of open.entries()) this.#known.set(name, { answer: answers[at] ?? this.#nothing });
  }
}

/**
 * Runs rules that ask synchronously, again and again, until nothing is left to be fetched. What they ask with the same
 * answers is the same each time, so every round has more answers than the one before; each question of a round goes to
 * the server once, however many rows it is about. What a run with placeholders returns or throws means nothing.
 */
export async function answered<T>(
  questions: readonly Open[],
  reader: PostgresReader,
  run: () => T | Promise<T>,
): Promise<T> {
  for (;;) {
    let outcome: { readonly value: T } | { readonly error: unknown };
    try {
      outcome = { value: await run() };
    } catch (error) {
      outcome = { error };
    }
    const open = questions.filter((question) => question.isOpen);
    if (open.length === 0) {
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    }
    for (const question of open) await question.fetch(reader);
  }
}

/** Answers in the order of what was asked, from rows that say with `n` which one they are about, counted from 1. */
export function inOrder<Row extends { readonly n: number }, T>(
  asked: readonly unknown[],
  rows: readonly Row[],
  answer: (rows: readonly Row[]) => T,
): T[] {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.n);
    if (group) group.push(row);
    else groups.set(row.n, [row]);
  }
  return asked.map((_, at) => answer(groups.get(at + 1) ?? []));
}
