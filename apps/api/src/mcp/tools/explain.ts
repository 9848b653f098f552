import {
  compact,
  InspectorError,
  NO_MESSAGE,
  parseExpectation,
  type EndValue,
  type Explanation,
  type StepRef,
} from '@checkpoint-inspector/core';
import type { BranchQuery } from '@checkpoint-inspector/inspector';
import { z } from '@hono/zod-openapi';
import { addressOf, branchAt, branchName, checkpointAddress } from '../places.ts';
import { cursor, maxTokens, more, partThatFits, shortChange, shortValue, shortWords } from '../size.ts';
import { structuredTool, type ToolCall } from '../tool.ts';

/** Told before what the error names and how another run differs; more follow after these. */
const WRITES_FIRST = 8;
const GAPS = 5;
/** More do not fit into the longest answer that is usually asked for. */
const PARTS = 60;

const step = {
  checkpoint: checkpointAddress,
  step: z.number().describe('Its number, as people say it'),
  description: z.string().optional(),
};
const stepSchema = z.object(step);
const change = {
  before: z.string().optional().describe('JSON text; a long one from where the two differ'),
  after: z.string().optional().describe('JSON text'),
};
const endSchema = z.object({ value: z.string().optional(), writtenBy: stepSchema.optional() });

const partsShape = {
  writes: z
    .array(
      stepSchema.extend({
        agent: z.string().optional(),
        path: z.string(),
        ...change,
        origin: z
          .object({
            from: z.enum(['tool', 'user', 'agent', 'state', 'nowhere']),
            name: z.string().optional(),
            checkpoint: checkpointAddress.optional(),
          })
          .optional()
          .describe('Where the value was before this step wrote it'),
        more: z.number().optional().describe('Other data changed by the same step; `diff` has it'),
      }),
    )
    .optional()
    .describe('Data that the run changed, newest first, one change per step'),
  named: z
    .array(z.object({ text: z.string(), path: z.string().optional(), writtenBy: stepSchema.optional(), ...change }))
    .optional()
    .describe('What the error names, and its last writer; without `writtenBy` it was never written'),
  differs: z
    .array(z.object({ path: z.string(), here: endSchema, there: endSchema }))
    .optional()
    .describe('Values at the end that differ from the other run'),
  missing: z
    .array(z.object({ call: z.string(), args: z.string().optional(), at: checkpointAddress.optional() }))
    .optional()
    .describe('Calls that the other run made and this one never did'),
};

const factsShape = {
  error: z
    .object({
      message: z.string(),
      node: z.string().optional(),
      path: z.string().optional().describe('Where the state reports it'),
    })
    .optional(),
  failed: stepSchema
    .extend({
      before: z.boolean().optional().describe('The step that failed ran from this checkpoint and saved none'),
    })
    .optional(),
  lastGood: stepSchema
    .extend({ stepsBack: z.number() })
    .optional()
    .describe("The newest checkpoint that did not fail, by the store's record"),
  recovered: stepSchema.optional().describe('Continued after the failure'),
  repeated: z
    .object({ call: z.string(), args: z.string(), times: z.number() })
    .optional()
    .describe('The call it repeated before it gave up'),
  check: z
    .object({
      path: z.string(),
      expected: z.string(),
      holds: z.boolean(),
      firstBroken: stepSchema.optional(),
      neverWritten: z.boolean().optional(),
      found: z.string().optional(),
    })
    .optional()
    .describe('Of `expect`'),
  against: z
    .object({ task: z.string(), end: checkpointAddress, chosen: z.enum(['fork', 'name', 'asked']) })
    .optional()
    .describe('The other run of `differs` and `missing`'),
  unusual: z
    .array(stepSchema.extend({ path: z.string(), ...change, reason: z.string() }))
    .optional()
    .describe('Values unlike their peers. Not a verdict'),
  note: z.string().optional(),
};

export const explainTool = structuredTool({
  name: 'explain',
  title: 'Explain a run',
  description:
    'Facts about a run that failed: the error, the last good checkpoint, what the run wrote and from where, what the error names, how it differs from a good run. It names no cause: that is for you to judge',
  input: z.strictObject({
    at: branchName,
    against: branchName.optional().describe('Another run of the same store; default: a good run, if one is found'),
    expect: z.string().optional().describe('<path>=<json>: what a value should be, as $.a.b=122; finds where it broke'),
    cursor,
    maxTokens,
  }),
  output: z.object({
    outcome: z.enum(['failed', 'check_failed', 'waiting', 'running', 'completed', 'unknown']),
    kind: z
      .enum(['outside', 'threw', 'check_failed', 'gave_up', 'waiting'])
      .optional()
      .describe('outside: a service, quota or timeout, so the error is the answer; gave_up: a limit was reached'),
    ...factsShape,
    ...partsShape,
    examined: z.object({ checkpoints: z.number(), of: z.number(), unread: z.array(z.string()).optional() }),
    cursor: more,
  }),
  operation: 'load',
  run: async (call, { at, against, expect, ...asked }) => {
    const { source, query } = await branchAt(call, at);
    const store = source.info.id;
    const more = compact({
      against: against === undefined ? undefined : await runIn(call, store, against),
      expect: expect === undefined ? undefined : parseExpectation(expect),
    });
    const found = await call.inspector.explanations.of(store, { ...query, ...more }, { signal: call.signal });
    const told = new Teller(call, store);
    const head = told.head(found, asked.cursor === undefined);
    const { items, cursor: next } = partThatFits(asked, PARTS, told.parts(found), (part) => part(), head);
    return { members: { ...head, ...byName(items) }, cursor: next };
  },
});

/** @throws InspectorError invalid_input, of a run in another store */
async function runIn(call: ToolCall, store: string, text: string): Promise<BranchQuery> {
  const { source, query } = await branchAt(call, text);
  if (source.info.id === store) return query;
  throw new InspectorError('invalid_input', `"${text}" is in another store.`, {
    remedy: 'Name a run of the same store, or use `compare`.',
  });
}

type Part = { readonly [Name in keyof typeof partsShape]?: NonNullable<z.input<(typeof partsShape)[Name]>>[number] };

/** The parts of one page, each list under its name. */
function byName(parts: readonly Part[]) {
  const all = <Name extends keyof Part>(name: Name): NonNullable<Part[Name]>[] | undefined => {
    const own = parts.flatMap((part) => part[name] ?? []) as NonNullable<Part[Name]>[];
    return own.length === 0 ? undefined : own;
  };
  return compact({
    writes: all('writes'),
    named: all('named'),
    differs: all('differs'),
    missing: all('missing'),
  });
}

/** An agent pays for each character: of long values and words it is told the beginning. */
class Teller {
  readonly #call: ToolCall;
  readonly #store: string;

  constructor(call: ToolCall, store: string) {
    this.#call = call;
    this.#store = store;
  }

  /** @param isWhole on later pages only what the lists belong to */
  head(found: Explanation, isWhole: boolean) {
    const { outcome, kind, examined } = found;
    const unread = examined.gaps.slice(0, GAPS).map((gap) => `${this.#at(gap.ref)}: ${gap.reason}`);
    return {
      outcome,
      ...compact({ kind }),
      ...(isWhole ? this.#facts(found) : {}),
      examined: { checkpoints: examined.n, of: examined.of, ...(unread.length > 0 ? { unread } : {}) },
    };
  }

  #facts(found: Explanation) {
    const { error, failingStep, lastGood, recovered, repeated, against, check, unusual, note } = found;
    return compact({
      error: error && {
        // The name of a step is no message.
        message: error.unsaid === true ? NO_MESSAGE : this.#words(error.message),
        ...compact({ node: error.node, path: error.path }),
      },
      failed: failingStep && { ...this.#step(failingStep), ...compact({ before: failingStep.before }) },
      lastGood: lastGood && { ...this.#step(lastGood), stepsBack: lastGood.back },
      recovered: recovered && this.#step(recovered),
      repeated: repeated && { ...repeated, args: this.#value('$', repeated.args) },
      check: check && this.#check(check),
      against: against && { task: against.task, end: this.#at(against.end), chosen: against.chosen },
      unusual:
        unusual.length === 0
          ? undefined
          : unusual.map((one) => ({
              ...this.#step(one.ref),
              path: one.path,
              ...shortChange(this.#call, one.path, one),
              reason: this.#words(one.reason),
            })),
      note,
    });
  }

  #check({ path, expected, holds, firstBroken, never, found }: NonNullable<Explanation['check']>) {
    return {
      path,
      expected: this.#value(path, expected),
      holds,
      ...compact({
        firstBroken: firstBroken && this.#step(firstBroken),
        neverWritten: never,
        found: found === undefined ? undefined : this.#value(path, found),
      }),
    };
  }

  /** The newest writes, what the error names and the other run come first, so that none of them is left to a later page alone. */
  parts({ writes, named, against }: Explanation): (() => Part)[] {
    const wrote = writes.map((one) => (): Part => ({
      writes: {
        ...this.#step(one.ref),
        path: one.path,
        ...shortChange(this.#call, one.path, one),
        ...compact({
          agent: one.agent,
          origin: one.origin && this.#origin(one.origin),
          more: one.more,
        }),
      },
    }));
    const names = named.map((one) => (): Part => ({
      named: {
        text: this.#words(one.text),
        ...compact({ path: one.path, writtenBy: one.ref && this.#step(one.ref) }),
        ...shortChange(this.#call, one.path ?? '$', one),
      },
    }));
    const missing = (against?.missing ?? []).map(({ call, args, ref }) => (): Part => ({
      missing: {
        call,
        ...compact({ args: args === undefined ? undefined : this.#value('$', args), at: ref && this.#at(ref) }),
      },
    }));
    const differs = (against?.differs ?? []).map(({ path, here, there }) => (): Part => ({
      differs: { path, here: this.#end(path, here), there: this.#end(path, there) },
    }));
    return [...wrote.slice(0, WRITES_FIRST), ...names, ...missing, ...differs, ...wrote.slice(WRITES_FIRST)];
  }

  #origin({ from, name, ref }: NonNullable<Explanation['writes'][number]['origin']>) {
    return { from, ...compact({ name, checkpoint: ref && this.#at(ref) }) };
  }

  #end(path: string, { value, ref }: EndValue) {
    return compact({
      value: value === undefined ? undefined : this.#value(path, value),
      writtenBy: ref && this.#step(ref),
    });
  }

  #step(ref: StepRef) {
    const { seq, stepIndex = seq, description } = ref;
    return {
      checkpoint: this.#at(ref),
      step: stepIndex,
      ...compact({ description: description === undefined ? undefined : this.#words(description) }),
    };
  }

  readonly #at = ({ task, namespace, id }: Pick<StepRef, 'task' | 'namespace' | 'id'>): string =>
    addressOf(this.#store, { task, id, ...compact({ namespace }) });
  readonly #words = (words: string): string => shortWords(this.#call, words);
  readonly #value = (path: string, json: string): string => shortValue(this.#call, path, json);
}
