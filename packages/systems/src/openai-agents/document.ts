/** What is read of a string of the OpenAI Agents SDK: the state of a run, or the items of a session. */
import {
  memberOf,
  parseJson,
  sourceOf,
  stringOf,
  valueAt,
  type CheckpointStatus,
  type JsonNode,
  type Problem,
} from '@checkpoint-inspector/core';
import { defined, parsedOf, problemOf, type Parsed } from '../folder/index.ts';
import { turnsError } from './view.ts';

/** What lists and plans need of a document; its text is read again when it is asked for. */
export interface Facts {
  readonly shape: 'state' | 'items';
  /** `$schemaVersion`; absent for items. */
  readonly version?: string;
  /** The question that the run answers, in its first words. */
  readonly title?: string;
  /** Ids of the model's responses, in order: every string of one run begins with the same ones. */
  readonly responses: readonly string[];
  /** How far the run is: generated items without the questions, which go away when they are answered. */
  readonly progress: number;
  readonly status: CheckpointStatus;
  readonly stepIndex?: number;
  readonly description?: string;
  readonly error?: string;
  readonly agentId?: string;
  readonly tokenUsage?: number;
}

export interface ReadDocument {
  /** Absent where the text is of something else. */
  readonly facts?: Facts;
  readonly problem?: Problem;
}

const TITLE_LENGTH = 120;
const DESCRIPTION_LENGTH = 200;
/** A text with this was meant to be a state, whatever else is wrong with it. */
const MARK = '"$schemaVersion"';
const ITEM_TYPES: ReadonlySet<string> = new Set(['message', 'function_call', 'function_call_result', 'reasoning']);

/** Reads a document's text; what is damaged comes back as a problem, and what is something else as nothing. */
export function readDocument(text: string): ReadDocument {
  let root: JsonNode;
  try {
    root = parseJson(text);
  } catch (cause) {
    return text.includes(MARK) ? { problem: problemOf(cause) } : {};
  }
  if (root.kind === 'array') return isItems(text, root.items) ? { facts: itemsFacts(text, root.items) } : {};
  if (root.kind !== 'object') return {};
  const parsed = parsedOf(text, root);
  return isState(parsed) ? { facts: stateFacts(parsed) } : {};
}

/** JSON schemas and other documents have versions too; only a run has these. */
const isState = ({ node }: Parsed): boolean =>
  node('$schemaVersion') !== undefined && node('originalInput') !== undefined && node('modelResponses') !== undefined;

/** Items of the SDK are of known types, and its calls have a `callId`: the API's own have a `call_id`. */
function isItems(text: string, items: readonly JsonNode[]): boolean {
  const types = items.map((item) => textIn(text, item, 'type') ?? '');
  if (items.length === 0 || !types.every((type) => ITEM_TYPES.has(type))) return false;
  return items.some((item) => ['callId', 'providerData'].some((key) => member(item, key) !== undefined));
}

const member = (node: JsonNode | undefined, key: string): JsonNode | undefined =>
  node?.kind === 'object' ? memberOf(node, key)?.value : undefined;

function textIn(text: string, node: JsonNode | undefined, key: string): string | undefined {
  const found = member(node, key);
  return found?.kind === 'string' ? stringOf(text, found) : undefined;
}

const itemsOf = (node: JsonNode | undefined): readonly JsonNode[] => (node?.kind === 'array' ? node.items : []);

function itemsFacts(text: string, items: readonly JsonNode[]): Facts {
  const last = items.at(-1);
  return defined({
    shape: 'items',
    responses: [],
    progress: items.length,
    status: 'unknown',
    title: titleOf(text, items),
    description: last && cut(`${items.length} items, the last: ${itemWords(text, last)}`, DESCRIPTION_LENGTH),
  });
}

function stateFacts(parsed: Parsed): Facts {
  const { text, node, string, number } = parsed;
  const generated = itemsOf(node('generatedItems'));
  const [input, version] = [node('originalInput'), node('$schemaVersion')];
  return defined({
    shape: 'state',
    version: version && (string('$schemaVersion') ?? sourceOf(text, version)),
    title: input?.kind === 'string' ? cut(stringOf(text, input), TITLE_LENGTH) : titleOf(text, itemsOf(input)),
    responses: itemsOf(node('modelResponses')).flatMap((response) => textIn(text, response, 'responseId') ?? []),
    progress: generated.filter((item) => textIn(text, item, 'type') !== 'tool_approval_item').length,
    stepIndex: number('currentTurn'),
    ...outcomeOf(parsed),
    agentId: string('currentAgent', 'name'),
    tokenUsage: number('context', 'usage', 'totalTokens'),
  });
}

type Outcome = Pick<Facts, 'status' | 'description' | 'error'>;

/** Where the run stands, by its current step. */
function outcomeOf({ text, root, node, string }: Parsed): Outcome {
  const type = string('currentStep', 'type');
  if (type === 'next_step_interruption') {
    const calls = itemsOf(node('currentStep', 'data', 'interruptions')).map((item) => callWords(text, item));
    const words = `${calls.join(', ')} ${calls.length === 1 ? 'waits' : 'wait'} for approval`;
    return { status: 'interrupted', description: cut(words, DESCRIPTION_LENGTH) };
  }
  if (type === 'next_step_final_output') {
    const output = string('currentStep', 'output');
    return { status: 'completed', ...(output ? { description: cut(output, DESCRIPTION_LENGTH) } : {}) };
  }
  const error = turnsError(text, root);
  if (error !== undefined) return { status: 'failed', description: error, error };
  const last = itemsOf(node('generatedItems')).at(-1);
  const words = last && itemWords(text, member(last, 'rawItem') ?? last);
  return { status: 'pending', ...(words ? { description: cut(words, DESCRIPTION_LENGTH) } : {}) };
}

/** `refund({"amount":30})`: a call as it would be run. */
function callWords(text: string, approval: JsonNode): string {
  const call = member(approval, 'rawItem');
  return `${textIn(text, approval, 'toolName') ?? textIn(text, call, 'name') ?? 'a tool'}(${textIn(text, call, 'arguments') ?? ''})`;
}

/** One item in a few words: what was called, or what was said. */
function itemWords(text: string, item: JsonNode): string {
  const name = textIn(text, item, 'name');
  const type = textIn(text, item, 'type') ?? 'message';
  if (name !== undefined) return type === 'function_call' ? `${name} is called` : `${name} has answered`;
  return contentOf(text, item) ?? type;
}

/** The text of a message: as it is, or of its first part that has one. */
function contentOf(text: string, message: JsonNode): string | undefined {
  const content = member(message, 'content');
  if (content?.kind === 'string') return stringOf(text, content);
  return itemsOf(content)
    .map((part) => textIn(text, part, 'text'))
    .find((words) => words !== undefined);
}

/** The last thing that the person said. */
function titleOf(text: string, items: readonly JsonNode[]): string | undefined {
  const asked = items.findLast((item) => textIn(text, item, 'role') === 'user');
  const words = asked && contentOf(text, asked);
  return words && cut(words, TITLE_LENGTH);
}

/** One line of it. */
function cut(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** Arguments of calls by their id, wherever the text has them. */
export function argumentsIn(
  text: string,
): ReadonlyMap<string, { readonly name: string; readonly texts: ReadonlySet<string> }> {
  const found = new Map<string, { name: string; texts: Set<string> }>();
  const left = [parseJson(text)];
  // Without recursion: a text may be deeper than the stack.
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.kind === 'array') for (const item of node.items) left.push(item);
    if (node.kind !== 'object') continue;
    const [id, given] = [
      textIn(text, node, 'callId') ?? textIn(text, node, 'call_id'),
      textIn(text, node, 'arguments'),
    ];
    if (id !== undefined && given !== undefined) {
      const call = found.get(id) ?? { name: textIn(text, node, 'name') ?? 'a tool', texts: new Set() };
      call.texts.add(given);
      found.set(id, call);
    }
    for (const { value } of node.members) left.push(value);
  }
  return found;
}

/** True for calls that have an answer in the text: they are not run again. */
export function hasAnswer(text: string, callId: string): boolean {
  return itemsOf(valueAt(text, parseJson(text), ['generatedItems'])).some((item) => {
    const raw = member(item, 'rawItem');
    return textIn(text, item, 'type') === 'tool_call_output_item' && textIn(text, raw, 'callId') === callId;
  });
}
