import type { Path } from '../json/path.ts';
import type { Leaf } from './leaf.ts';
import { roleOf } from '../chat/messages.ts';
import { childOf, isContainer, leafOf, type Node, type ObjectNode } from './tree.ts';
import { isProse, kept, wordsOf } from './values.ts';

/** What a state itself says went wrong. */
export interface StatedFailure {
  /** The words beside it, whole. */
  readonly message: string;
  readonly path: Path;
  /** `check`: an entry that failed where others passed; `error`: a field for errors; `status`: a status that says failed. */
  readonly kind: 'check' | 'error' | 'status';
}

/** Words by which programs in general say that something failed. */
const FAILED = new Set([
  'failed',
  'fail',
  'failure',
  'error',
  'errored',
  'invalid',
  'rejected',
  'broken',
  'aborted',
  'crashed',
]);
const PASSED = new Set(['ok', 'pass', 'passed', 'passes', 'success', 'successful', 'succeeded', 'valid', 'holds']);
const FOR_ERRORS = new Set(['error', 'errors', 'failure', 'failures', 'exception', 'traceback', 'err']);
const MOST_NODES = 20_000;

/** A word for a failure, alone. */
export const saysFailed = (leaf: Leaf): boolean =>
  leaf.end - leaf.start < 100 && leaf.value.length < 16 && FAILED.has(leaf.value.toLowerCase());

/** Everything in a state that reports it, in its order. */
export function statedFailures(root: Node): StatedFailure[] {
  const found: StatedFailure[] = [];
  const todo: { node: Node; path: Path }[] = [{ node: root, path: [] }];
  for (let count = 0; count < MOST_NODES; count++) {
    const at = todo.pop();
    if (at === undefined) break;
    if (!isContainer(at.node) || at.node.leaf !== undefined) continue;
    if (at.node.kind === 'object') found.push(...inObject(at.node, at.path));
    for (let place = at.node.size - 1; place >= 0; place--) {
      const node = at.node.nodeAt(place);
      if (isContainer(node)) todo.push({ node, path: [...at.path, at.node.nameAt(place)] });
    }
  }
  return found;
}

/** Whether a model spoke after this place of a conversation: it was given the error of its call and went on. */
export function isAnswered(root: Node, path: Path): boolean {
  let node: Node | undefined = root;
  for (const step of path) {
    if (node?.kind === 'array' && node.items.slice(Number(step) + 1).some(isSpoken)) return true;
    node = childOf(node, step);
  }
  return false;
}

/** A message of a model, or a part of one with words. */
function isSpoken(node: Node): boolean {
  const textAt = (from: Node | undefined, key: string): string => {
    const leaf = leafOf(childOf(from, key));
    return leaf?.kind === 'string' ? leaf.value : '';
  };
  const isOfModel = [node, childOf(node, 'info')].some((one) => roleOf(textAt(one, 'role')) === 'ai');
  return isOfModel || (textAt(node, 'type') === 'text' && textAt(node, 'text').trim() !== '');
}

/** What a field or an object for errors is called. */
export const isForErrors = (name: string): boolean =>
  kept(forErrors, name, () => wordsOf(name).some((word) => FOR_ERRORS.has(word)));

const forErrors = new Map<string, boolean>();

function inObject(object: ObjectNode, path: Path): StatedFailure[] {
  const found: StatedFailure[] = [];
  const isOfErrors = isForErrors(String(path.at(-1) ?? ''));
  for (const { key, value } of object.members) {
    const leaf = leafOf(value);
    if (leaf === undefined) continue;
    if (leaf.kind === 'string' && (isOfErrors || isForErrors(key)) && leaf.value.trim() !== '') {
      found.push({ message: leaf.value, path: [...path, key], kind: 'error' });
    }
    const isFalse = leaf.kind === 'boolean' && leaf.value === 'false' && wordsOf(key).some((word) => PASSED.has(word));
    const isFailed = leaf.kind === 'string' && saysFailed(leaf);
    if (!isFalse && !isFailed) continue;
    const message = messageIn(object, key);
    if (isFailed) found.push({ message: message ?? leaf.value, path: [...path, key], kind: 'status' });
    else if (message !== undefined) found.push({ message, path: [...path, key], kind: 'check' });
  }
  return found;
}

/** The sentence in the same object, with its short texts before it. */
function messageIn({ members }: ObjectNode, except: string): string | undefined {
  const texts = members.flatMap(({ key, value }) => {
    const leaf = key === except ? undefined : leafOf(value);
    return leaf?.kind === 'string' && leaf.value.trim() !== '' ? [leaf.value] : [];
  });
  const sentence = texts.find(isProse);
  if (sentence === undefined && texts.length === 0) return undefined;
  const name = texts.find((text) => text !== sentence && text.length <= 60);
  return [name, sentence].filter((part) => part !== undefined).join(': ');
}
