/** Every key of the page, as the sheet shows them. */
import { isFile } from '../../lib/viewer/page.ts';
import { PAGES } from './actions.ts';

interface KeyLine {
  readonly keys: readonly string[];
  readonly does: string;
  /** A list or a dialog has it by itself: it stays where it is. */
  readonly fixed?: true;
  /** A page that is a file can't do it. */
  readonly needsServer?: true;
}

const ALL_GROUPS: readonly { readonly title: string; readonly lines: readonly KeyLine[] }[] = [
  {
    title: 'Move',
    lines: [
      { keys: ['j', 'k'], does: 'Next, previous checkpoint' },
      { keys: ['J', 'K'], does: 'Next, previous task' },
      { keys: ['['], does: 'To the parent' },
      { keys: [']'], does: 'To the newest child' },
      { keys: ['{', '}'], does: 'Previous, next fork point' },
      { keys: ['n', 'N'], does: 'Next, previous change or match' },
      { keys: ['e', 'E'], does: 'Next, previous error' },
      { keys: ['F'], does: 'Follow the latest', needsServer: true },
    ],
  },
  {
    title: 'Look',
    lines: [
      { keys: ['1', '…', '6'], does: 'Changes, State, Chat, Plan, Raw, Meta' },
      { keys: ['o'], does: 'Only changes, or all values' },
      { keys: ['↵'], does: 'Show a long value in full', fixed: true },
      { keys: ['h'], does: 'History of the focused value' },
      { keys: ['s'], does: 'Say what the focused value should be' },
      { keys: ['b'], does: 'Use this checkpoint as base' },
      { keys: ['x'], does: 'Swap base and target' },
      { keys: ['m'], does: 'Bookmark this checkpoint, or remove the bookmark', needsServer: true },
      { keys: ['c'], does: 'Open the comparison on its own page' },
      { keys: ['/'], does: 'Filter the list in view' },
      { keys: ['Ctrl', 'F'], does: 'Find in this view' },
      { keys: ['←', '→'], does: 'Collapse, expand the focused row', fixed: true },
      { keys: ['*'], does: 'Expand its siblings' },
      { keys: ['+', '-'], does: 'Expand, collapse one level everywhere' },
    ],
  },
  {
    title: 'Timeline',
    lines: [
      { keys: ['Space'], does: 'Play through the history, pause' },
      { keys: [',', '.'], does: 'Back, forward in save order' },
    ],
  },
  {
    title: 'Copy',
    lines: [
      { keys: ['y', 'p'], does: 'The path of the focused value' },
      { keys: ['y', 'v'], does: 'The focused value, as stored' },
      { keys: ['y', 'l'], does: 'A link to this view', needsServer: true },
      { keys: ['y', 'm'], does: 'This view as Markdown' },
      { keys: ['y', 'e'], does: 'The task as a file: report or bundle', needsServer: true },
    ],
  },
  {
    title: 'Change',
    lines: [
      { keys: ['r'], does: 'Restore, with preview', needsServer: true },
      { keys: ['f'], does: 'Fork, with preview', needsServer: true },
      { keys: ['i'], does: 'Edit the state, then fork', needsServer: true },
      { keys: ['Del'], does: 'Delete to the trash, with preview', needsServer: true },
      { keys: ['z'], does: 'Undo the last change', needsServer: true },
      { keys: ['Z'], does: 'Redo what was undone last', needsServer: true },
      { keys: ['Ctrl', '↵'], does: 'Confirm a dialog', fixed: true, needsServer: true },
    ],
  },
  {
    title: 'Go',
    lines: [
      { keys: ['Ctrl', 'K'], does: 'Find tasks, checkpoints, actions' },
      ...PAGES.map(({ kbd, label }) => ({ keys: kbd.split(' '), does: label })),
      { keys: ['?'], does: 'This sheet' },
    ],
  },
  {
    title: 'Tasks',
    lines: [
      { keys: ['x'], does: 'Select the task, or take it out' },
      { keys: ['c'], does: 'Compare the runs of the two that are selected' },
      { keys: ['Esc'], does: 'Clear the selection' },
    ],
  },
  {
    title: 'Tree',
    lines: [
      { keys: ['←', '→'], does: 'To the parent, to the child', fixed: true },
      { keys: ['↑', '↓'], does: 'To the lane above, below', fixed: true },
      { keys: ['↵'], does: 'Open the checkpoint, unfold a chain', fixed: true },
      { keys: ['e', 'E'], does: 'Next, previous error' },
      { keys: ['/'], does: 'Find a step' },
      { keys: ['+', '-', '0'], does: 'Zoom in, zoom out, show all' },
    ],
  },
];

export const KEY_GROUPS = ALL_GROUPS.map(({ title, lines }) => ({
  title,
  lines: lines.filter(({ needsServer }) => !needsServer || !isFile()),
})).filter(({ lines }) => lines.length > 0);

// Keys as the sheet shows them, and as the page names them.

const SIGNS: readonly (readonly [sign: string, name: string])[] = [
  ['↵', 'Enter'],
  ['Del', 'Delete'],
  ['Esc', 'Escape'],
  ['←', 'ArrowLeft'],
  ['→', 'ArrowRight'],
  ['↑', 'ArrowUp'],
  ['↓', 'ArrowDown'],
];

/** First keys of sequences. */
const STARTS = new Set(['g', 'y']);

const nameOf = (sign: string): string => SIGNS.find(([shown]) => shown === sign)?.[1] ?? sign;
const signOf = (name: string): string => SIGNS.find(([, known]) => known === name)?.[0] ?? name;

/** @example keysOf({ keys: ['g', 't'], … }) // ['g t']; ['j', 'k'] // ['j', 'k']; ['1', '…', '6'] // ['1', …, '6'] */
export function keysOf({ keys }: Pick<KeyLine, 'keys'>): readonly string[] {
  const [first = '', second, third] = keys;
  if (first === 'Ctrl' && second !== undefined) return [`Ctrl+${nameOf(second).toLowerCase()}`];
  if (STARTS.has(first) && keys.length === 2) return [keys.map(nameOf).join(' ')];
  if (second === '…') {
    const [from, to] = [Number(first), Number(third)];
    return Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
  }
  return keys.map(nameOf);
}

/** @example signsOf('g t') // ['g', 't']; signsOf('Ctrl+k') // ['Ctrl', 'K'] */
export const signsOf = (key: string): readonly string[] =>
  key.startsWith('Ctrl+') ? ['Ctrl', signOf(capital(key.slice(5)))] : key.split(' ').map(signOf);

const capital = (text: string): string => (text.length === 1 ? text.toUpperCase() : text);

/** What a line shows once keys were put elsewhere. */
export function shownKeys(line: KeyLine, remap: Readonly<Record<string, string>>): readonly string[] {
  const keys = keysOf(line);
  return keys.some((key) => Object.hasOwn(remap, key)) ? keys.flatMap((key) => signsOf(remap[key] ?? key)) : line.keys;
}

/** Every key that the page handles by name; those that lists and dialogs have by themselves are left out. */
export const sheetKeys = (): ReadonlySet<string> =>
  new Set(KEY_GROUPS.flatMap((group) => group.lines.filter((line) => line.fixed !== true).flatMap(keysOf)));

/**
 * Why `wanted` cannot stand for `own`, in words. Two acts on one key, or a key
 * that begins the sequence of another, would leave one of them without any.
 */
export function conflictOf(own: string, wanted: string, remap: Readonly<Record<string, string>>): string | undefined {
  for (const group of KEY_GROUPS) {
    for (const line of group.lines) {
      for (const key of keysOf(line)) {
        if (key === own) continue;
        const taken = remap[key] ?? key;
        const act = `“${line.does}”`;
        if (taken === wanted) return `${signsOf(wanted).join(' ')} is the key of ${act}.`;
        if (taken.startsWith(`${wanted} `)) return `${wanted} begins ${taken}, the keys of ${act}.`;
        if (wanted.startsWith(`${taken} `)) return `${taken} is the key of ${act}, so nothing can follow it.`;
      }
    }
  }
  return undefined;
}
