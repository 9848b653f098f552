import type { Path } from '../json/path.ts';
import type { Leaf } from './leaf.ts';
import { roleOf } from '../chat/messages.ts';
import { childOf, isContainer, leafOf, type ListNode, type Node, type ObjectNode } from './tree.ts';
import { isProse, kept, wordsOf } from './values.ts';
import { isChecking } from './checking.ts';

/** What a state itself says went wrong. */
export interface StatedFailure {
  /** The words beside it, whole. */
  readonly message: string;
  readonly path: Path;
  /** `check`: an entry that failed where others passed; `error`: a field for errors; `status`: a status that says failed. */
  readonly kind: 'check' | 'error' | 'status';
  /** It may say something else, unless it was written at the very end. */
  readonly isWeak?: true;
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
/** Verdicts, good and bad, which mean something else in other fields. */
const JUDGED_WELL = new Set(['good', 'fine', 'green', 'y', 'yes']);
const JUDGED = new Set(['bad', 'nok', 'ko', 'red', 'violated', 'unsatisfied']);
/** What is false of something that failed, beside the above. */
const SOUND = new Set(['consistent', 'healthy']);
/** Neither. */
const OTHERWISE = new Set(
  'skipped skip pending waiting todo open running unknown new warning warn info none n/a'.split(' '),
);
const FOR_ERRORS = new Set(['error', 'errors', 'failure', 'failures', 'exception', 'traceback', 'err']);
/** Characters of such a word as stored, quotes included, or with the name of its type around it. */
const MOST_FAILED = 16;
const MOST_TYPED = 100;
const MOST_NODES = 20_000;
/** Rows with more fields are data, not checks. */
const MOST_FIELDS = 12;

const JUDGEMENTS = new Set(['status', 'state', 'verdict', 'result', 'outcome', 'health', 'check', 'decision']);

const saysJudged = (leaf: Leaf, key: string): boolean =>
  leaf.value.length < MOST_FAILED && JUDGED.has(leaf.value.toLowerCase()) && isJudgement(key);

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
    if (node.kind === 'object') {
      addErrors(node, at, found);
      addFailures(node, at, found);
      addRefusals(node, at, found);
      addCounts(node, at, found);
    } else {
      addListed(node, at, found);
      addOddVerdicts(node, at, found);
      addLines(node, at, found);
    }
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

function textAt(from: Node | undefined, key: string): string {
  const leaf = leafOf(childOf(from, key));
  return leaf?.kind === 'string' ? leaf.value : '';
}

/** A message of a model, or a part of one with words. */
function isSpoken(node: Node): boolean {
  const isOfModel = [node, childOf(node, 'info')].some((one) => roleOf(textAt(one, 'role')) === 'ai');
  return isOfModel || (textAt(node, 'type') === 'text' && textAt(node, 'text').trim() !== '');
}

/** What a field or an object for errors is called. */
export const isForErrors = (name: string): boolean =>
  kept(forErrors, name, () => wordsOf(name).some((word) => FOR_ERRORS.has(word)));

const forErrors = new Map<string, boolean>();

/** It is one of some errors, or what they are kept in. */
const isOfErrors = ({ step, above }: Spot): boolean =>
  typeof step === 'string' ? isForErrors(step) : above !== undefined && isForErrors(String(above.step));

/** Where an error says in words what went wrong; before these it mostly has a code or the name of a class. */
const SAYING = ['message', 'msg', 'detail', 'details', 'description', 'reason', 'text'];

/** What the error is about. */
const FIELD = new Set(['field', 'path', 'loc', 'param', 'property']);

const sayingIn = ({ members }: ObjectNode): string | undefined =>
  SAYING.flatMap((name) => members.flatMap(({ key, value }) => (key.toLowerCase() === name ? textsIn(value) : [])))[0];

/** The error that an object is, or the errors that its fields are. */
function addErrors(object: ObjectNode, spot: Spot, found: StatedFailure[]): void {
  const { members } = object;
  const texts = members.flatMap(({ key, value }) => textsIn(value).map((text) => ({ key, text })));
  if (members.some(({ key, value }) => MENDED.has(key.toLowerCase()) && leafOf(value)?.value === 'true')) return;
  if (isOfErrors(spot)) {
    const saying = sayingIn(object);
    const one = texts.find(({ text }) => text === saying) ?? texts.find(({ text }) => isProse(text)) ?? texts[0];
    const field = texts.find(({ key }) => FIELD.has(key.toLowerCase()))?.text;
    const name = field === undefined || one?.text.includes(field) ? '' : `${field}: `;
    if (one) found.push({ message: `${name}${one.text}`, path: [...pathOf(spot), one.key], kind: 'error' });
    return;
  }
  for (const { key, text } of texts) {
    const [, quoted] = IN_JSON.exec(text) ?? [];
    if (quoted !== undefined && roleOf(textAt(object, 'role')) === 'tool')
      found.push({ message: JSON.parse(quoted), path: [...pathOf(spot), key], kind: 'error' });
  }
  for (const { key, text } of texts)
    if (isForErrors(key)) found.push({ message: text, path: [...pathOf(spot), key], kind: 'error' });
}

/** The answer of a tool, as JSON in a text. */
const IN_JSON = /^\s*\{\s*"error"\s*:\s*("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))+")\s*[,}]/u;

/** What is true of an error that is over. */
const MENDED = new Set(['resolved', 'recovered', 'handled', 'fixed', 'acknowledged']);

/** `errors: ["…"]` */
function addListed({ items }: ListNode, spot: Spot, found: StatedFailure[]): void {
  if (!isForErrors(String(spot.step))) return;
  for (const [at, item] of items.entries())
    for (const message of textsIn(item)) found.push({ message, path: [...pathOf(spot), at], kind: 'error' });
}

/** What is true of the result of a tool that failed. */
const ERRED = new Set(['is_error', 'iserror']);

function addFailures(object: ObjectNode, spot: Spot, found: StatedFailure[]): void {
  for (const { key, value } of object.members) {
    const leaf = leafOf(value);
    if (leaf?.kind === 'boolean') {
      const isErred = leaf.value === 'true' && ERRED.has(key.toLowerCase());
      const told = isErred ? messageIn(object, key) : undefined;
      if (told !== undefined) found.push({ message: told, path: [...pathOf(spot), key], kind: 'status' });
      const isFalse = leaf.value === 'false' && wordsOf(key).some((word) => PASSED.has(word) || SOUND.has(word));
      const message = isFalse ? (messageIn(object, key) ?? briefly(object, key, spot)) : undefined;
      if (message !== undefined) found.push({ message, path: [...pathOf(spot), key], kind: 'check' });
      else if (leaf.value === 'false') addGate(object, key, spot, found);
    }
    if (leaf?.kind !== 'string') continue;
    const isError = isOfErrors(spot) || isForErrors(key);
    const judged = saysJudged(leaf, key) ? messageIn(object, key) : undefined;
    if (judged !== undefined) found.push({ message: judged, path: [...pathOf(spot), key], kind: 'check' });
    if (!saysFailed(leaf)) {
      if (!isError && saysNo(leaf.value) && !isAsked(spot))
        found.push({
          message: messageIn(object, key) ?? leaf.value,
          path: [...pathOf(spot), key],
          kind: 'status',
          isWeak: true,
        });
      continue;
    }
    // The other fields of a whole state are about anything.
    const message = spot.above === undefined ? sayingIn(object) : messageIn(object, key);
    found.push({ message: message ?? leaf.value, path: [...pathOf(spot), key], kind: 'status' });
  }
}

/** A verdict in some words: `published, audit failed`, `not passed`. */
const NO =
  /\b(?:fail(?:ed|ure)?|reject(?:ed)?|refused|aborted|invalid|broken|mismatch|violated|unsuccessful|no[ -]go|not[ -](?:ok|passed|approved|released|accepted|signed|valid|compliant|cleared))\b/i;
/** The same in other languages. */
const NO_ELSEWHERE =
  /abgelehnt|beanstandet|fehlgeschlagen|nicht (?:bestanden|freigegeben|ok)|refusée?|rejetée?|échoué|rechazad|fallid|respint|fallit/i;
const NO_NO =
  /\b(?:no|not|0|never|without|zero|none)\b\s+(?:\S+\s+)?(?:fail|reject|refus|den|abort|invalid|broken|mismatch|violat)/i;
const MOST_VERDICT = 40;

const saysNo = (text: string): boolean =>
  text.length <= MOST_VERDICT && (NO.test(text) ? !NO_NO.test(text) : NO_ELSEWHERE.test(text));

/** Of several gates all others are open, or nothing but this one and the reason is there. */
function addGate(object: ObjectNode, key: string, spot: Spot, found: StatedFailure[]): void {
  const flags = object.members.flatMap(({ key: own, value }) => {
    const leaf = leafOf(value);
    return leaf?.kind === 'boolean' && own !== key ? [leaf.value] : [];
  });
  const isOneOf = flags.length > 1 && flags.every((flag) => flag === 'true');
  const isSigned = wordsOf(key).some((word) => SIGNED.has(word));
  const message = (isOneOf || isSigned) && !isAsked(spot) ? messageIn(object, key) : undefined;
  if (message !== undefined) found.push({ message, path: [...pathOf(spot), key], kind: 'check', isWeak: true });
}

/** What people may well turn down: nothing failed. */
const ASKED = new Set([
  'approval',
  'application',
  'consent',
  'offer',
  'permission',
  'proposal',
  'request',
  'suggestion',
]);
const isAsked = ({ step, above }: Spot): boolean =>
  wordsOf(String(step)).some((word) => ASKED.has(word)) || (above !== undefined && isAsked(above));

/** What is false of what was turned down at its end. */
const SIGNED = new Set([
  'approved',
  'accepted',
  'signed',
  'released',
  'cleared',
  'balanced',
  'matched',
  'reconciled',
  'compliant',
  'certified',
]);
const COUNTED_BAD = new Set(['red', 'failed', 'failures', 'failing', 'violations', 'mismatches', 'rejected', 'broken']);
const COUNTED_GOOD = new Set(['green', 'passed', 'passes', 'ok', 'passing', 'succeeded']);

/** How many checks failed, beside how many did not. */
function addCounts({ members }: ObjectNode, spot: Spot, found: StatedFailure[]): void {
  const counted = (words: ReadonlySet<string>): string | undefined =>
    members.find(({ key, value }) => words.has(key.toLowerCase()) && (leafOf(value)?.number ?? 0) > 0)?.key;
  const bad = counted(COUNTED_BAD);
  if (bad === undefined || counted(COUNTED_GOOD) === undefined) return;
  const texts = members.flatMap(({ value }) => textsIn(value));
  const message = texts.find(isProse) ?? texts[0];
  if (message !== undefined) found.push({ message, path: [...pathOf(spot), bad], kind: 'check', isWeak: true });
}

const LINE = /^(?:not ok|nok|ko|fail(?:ed|ure)?|error|rejected|refused|denied)\s*[:\u2013\u2014-]\s*\S/i;

/** The last of some notes begins with the verdict. */
function addLines({ items }: ListNode, spot: Spot, found: StatedFailure[]): void {
  const at = items.length - 1;
  const leaf = leafOf(items[at]);
  if (leaf?.kind === 'string' && LINE.test(leaf.value))
    found.push({ message: leaf.value, path: [...pathOf(spot), at], kind: 'check', isWeak: true });
}

/** Entries that say of themselves in one word what others say with a word for success, and say more than these. */
function addOddVerdicts({ items }: ListNode, spot: Spot, found: StatedFailure[]): void {
  const rows = items.flatMap((item, at) => (isContainer(item) && item.size <= MOST_FIELDS ? [{ item, at }] : []));
  const [first] = rows;
  if (first === undefined || rows.length < 2) return;
  for (let place = 0; place < first.item.size; place++) {
    const key = first.item.nameAt(place);
    const said = rows.map(({ item }) => wordAt(item, key));
    const isWell = (word: string): boolean => PASSED.has(word) || (isJudgement(key) && JUDGED_WELL.has(word));
    if (said.includes(undefined) || !said.some((word) => word !== undefined && isWell(word))) continue;
    for (const [nth, { item, at }] of rows.entries()) {
      const word = said[nth] ?? '';
      // Of an object a word for a failure is found without the others.
      const isFailed = FAILED.has(word);
      if (isWell(word) || (isFailed && item.kind === 'object') || OTHERWISE.has(word)) continue;
      const message = item.kind === 'object' ? messageIn(item, String(key)) : wordsBeside(item, key);
      if (message !== undefined && (isFailed || isProse(message)))
        found.push({ message, path: [...pathOf(spot), at, key], kind: 'check' });
    }
  }
}

const wordsBeside = (row: ListNode, verdict: string | number): string =>
  row.items.flatMap((item, at) => (at === verdict ? [] : textsIn(item))).join(': ');

/** Of a row of a table without names nobody knows what it is about. */
const isJudgement = (key: string | number): boolean =>
  typeof key === 'number' || JUDGEMENTS.has(wordsOf(key).at(-1) ?? '');

/** Of gates by their names: some say that all is well, and one why not. */
function addRefusals({ members }: ObjectNode, spot: Spot, found: StatedFailure[]): void {
  const texts = members.map(({ value }) => textsIn(value)[0]);
  if (!texts.some((text) => text !== undefined && PASSED.has(text.toLowerCase()))) return;
  for (const [nth, text] of texts.entries()) {
    const key = members[nth]?.key;
    if (text === undefined || key === undefined || !REFUSING.test(text) || !isProse(text)) continue;
    found.push({ message: text, path: [...pathOf(spot), key], kind: 'check' });
  }
}

function wordAt(holder: Node, key: string | number): string | undefined {
  const leaf = leafOf(childOf(holder, key));
  return leaf?.kind === 'string' && leaf.value.length <= MOST_FAILED ? leaf.value.toLowerCase() : undefined;
}

const textsIn = (node: Node | undefined): string[] => {
  const leaf = leafOf(node);
  return leaf?.kind === 'string' && leaf.value.trim() !== '' ? [leaf.value] : [];
};

/** Of a list or an object beside it: `rules: { total: "fail: …" }`. */
const innerTexts = (node: Node | undefined, levels = 2): string[] => {
  if (levels === 0 || node === undefined || !isContainer(node)) return [];
  const inner = node.kind === 'array' ? node.items : node.members.map(({ value }) => value);
  return inner.flatMap((one) => [...textsIn(one), ...innerTexts(one, levels - 1)]);
};

/** How a line begins that says no. */
const REFUSING = /^(?:fail|error|invalid|reject|not\b|no\b|nok\b)/i;

/** What an object or a message is, and not what is wrong with it. */
const KINDS = new Set(['type', 'kind', 'role', 'tool_use_id', 'tool_call_id']);

/** What was checked, and what was found. */
const NAMING = new Set(['name', 'check', 'rule', 'title', 'gate', 'test', 'criterion', 'label', 'suite', 'field']);
const MOST_NAME = 60;

/** The sentence in the same object, with the name of what was checked before it and the figures of the check after it. */
function messageIn({ members }: ObjectNode, except: string): string | undefined {
  const texts = members.flatMap(({ key, value }) =>
    key === except || KINDS.has(key.toLowerCase())
      ? []
      : textsIn(value).flatMap((text) => (PASSED.has(text.toLowerCase()) ? [] : [{ key: key.toLowerCase(), text }])),
  );
  const inner = texts.length > 0 ? [] : members.flatMap(({ value }) => innerTexts(value));
  if (inner.length > 0) return inner.find((text) => REFUSING.test(text)) ?? inner.find(isProse);
  if (texts.length === 0) return undefined;
  const isName = ({ key, text }: (typeof texts)[number]): boolean => NAMING.has(key) && text.length <= MOST_NAME;
  const sentence = (texts.find((one) => isProse(one.text) && !isName(one)) ?? texts.find((one) => isProse(one.text)))
    ?.text;
  const name = (texts.find((one) => isName(one) && one.text !== sentence) ?? texts.find(({ text }) => isShort(text)))
    ?.text;
  const message = [name === sentence ? undefined : name, sentence].filter((part) => part !== undefined).join(': ');
  return /\d/.test(message) ? message : `${message}${figuresIn(members)}`;
}

const isShort = (text: string): boolean => text.length <= MOST_NAME && !isProse(text);

/** `: expected 7, actual 8` */
function figuresIn(members: ObjectNode['members']): string {
  const found = members.flatMap(({ key, value }) => {
    const leaf = leafOf(value);
    return leaf?.kind === 'number' && FIGURES.has(key.toLowerCase()) ? [`${key} ${leaf.text}`] : [];
  });
  return found.length === 0 ? '' : `: ${found.join(', ')}`;
}

const FIGURES = new Set(
  'expected actual got want wanted found should computed reported limit total difference'.split(' '),
);

/** Of a check without a sentence: what it is called, and the words within it. */
function briefly({ members }: ObjectNode, key: string, { step }: Spot): string | undefined {
  if (!isChecking(String(step))) return undefined;
  const words = members.flatMap(({ value }) => innerTexts(value)).slice(0, 3);
  return words.length === 0 ? `${step}.${key} is false` : `${step}: ${words.join(', ')}`;
}
