import type { PostgresReader } from '@checkpoint-inspector/io';

/** One question about one thing. */
export type Ask<A, T> = (asked: A) => Promise<T>;

/**
 * A question that can be asked about many things at once: what is asked before others get their turn goes to the server
 * as one statement, and nothing is asked twice. Answers are of one moment, so that they hold as long as the reader.
 * @param all one answer for each that is asked, in their order
 */
export function batched<A, T>(nothing: T, all: (asked: readonly A[]) => Promise<readonly T[]>): Ask<A, T> {
  const known = new Map<string, Promise<T>>();
  let open: { readonly asked: A[]; readonly answers: Promise<readonly T[]> } | undefined;
  const begin = () => {
    const asked: A[] = [];
    const answers = new Promise((resume) => setImmediate(resume)).then(() => {
      open = undefined;
      return all(asked);
    });
    return { asked, answers };
  };
  return (asked) => {
    const name = JSON.stringify(asked);
    // No text in PostgreSQL holds a NUL, so nothing is there.
    if (name.includes(String.raw`\u0000`)) return Promise.resolve(nothing);
    const found = known.get(name);
    if (found !== undefined) return found;
    open ??= begin();
    const at = open.asked.push(asked) - 1;
    const answer = open.answers.then((answers) => answers[at] ?? nothing);
    known.set(name, answer);
    return answer;
  };
}

/** For questions that are seldom asked about more than one thing. */
export const oneByOne = <A, T>(nothing: T, ask: Ask<A, T>): Ask<A, T> =>
  batched(nothing, async (all) => {
    const answers: T[] = [];
    for (const asked of all) answers.push(await ask(asked));
    return answers;
  });

/** A connection answers one statement after the other. */
export function inTurn(reader: PostgresReader): PostgresReader {
  let last: Promise<unknown> = Promise.resolve();
  return {
    query: <Row extends Record<string, unknown>>(...statement: Parameters<PostgresReader['query']>) => {
      const answer = last.then(() => reader.query<Row>(...statement));
      last = answer.catch(() => undefined);
      return answer;
    },
  };
}

/** What the server found for each that was asked about, by its number. */
export function inOrder<Row extends { readonly n: number }, T>(
  asked: readonly unknown[],
  rows: readonly Row[],
  answer: (rows: readonly Row[]) => T,
): T[] {
  const of = new Map<number, Row[]>();
  for (const row of rows) {
    const known = of.get(row.n);
    if (known) known.push(row);
    else of.set(row.n, [row]);
  }
  return asked.map((_, at) => answer(of.get(at + 1) ?? []));
}
