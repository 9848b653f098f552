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
/** Characters of such a word as stored, quotes included, or with the name of its type around it. */
const MOST_FAILED = 16;
const MOST_TYPED = 100;
const MOST_NODES = 20_000;

/** A word for a failure, alone. */
export const saysFailed = (leaf: Leaf): boolean =>
  leaf.end - leaf.start <= (leaf.home.charCodeAt(leaf.start) === 0x22 ? MOST_FAILED : MOST_TYPED) &&
  FAILED.has(leaf.value.toLowerCase());

/** A list or an object of a state, and how it is reached. */
interface Spot {
  readonly node: Node;
  readonly step: string | number;
  readonly above: Spot | undefined;
}

const pathOf = ({ step, above }: Spot): Path => (above === undefined ? [] : [...pathOf(above), step]);

/** Everything in a state that reports it, in its order. */
export function statedFailures(root: Node): StatedFailure[] {
  const found: StatedFailure[] = [];
  const todo: Spot[] = [{ node: root, step: '', above: undefined }];
  for (let count = 0; count < MOST_NODES; count++) {
    const at = todo.pop();
    if (at === undefined) break;
    const { node } = at;
    if (!isContainer(node) || node.leaf !== undefined) continue;
    if (node.kind === 'object') addFailures(node, at, found);
    for (let place = node.size - 1; place >= 0; place--) {
      const inner = node.nodeAt(place);
      if (isContainer(inner)) todo.push({ node: inner, step: node.nameAt(place), above: at });
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

function addFailures(object: ObjectNode, spot: Spot, found: StatedFailure[]): void {
  const isOfErrors = isForErrors(String(spot.step));
  for (const { key, value } of object.members) {
    const leaf = leafOf(value);
    if (leaf?.kind === 'boolean') {
      const isFalse = leaf.value === 'false' && wordsOf(key).some((word) => PASSED.has(word));
      const message = isFalse ? messageIn(object, key) : undefined;
      if (message !== undefined) found.push({ message, path: [...pathOf(spot), key], kind: 'check' });
    }
    if (leaf?.kind !== 'string') continue;
    const isError = isOfErrors || isForErrors(key);
    if (isError && leaf.value.trim() !== '') {
      found.push({ message: leaf.value, path: [...pathOf(spot), key], kind: 'error' });
    }
    if (!saysFailed(leaf)) continue;
    found.push({ message: messageIn(object, key) ?? leaf.value, path: [...pathOf(spot), key], kind: 'status' });
  }
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
