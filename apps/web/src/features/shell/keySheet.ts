/** Every key of the page, as the sheet shows them. */
export interface KeyLine {
  readonly keys: readonly string[];
  readonly does: string;
}

export const KEY_GROUPS: readonly { readonly title: string; readonly lines: readonly KeyLine[] }[] = [
  {
    title: 'Move',
    lines: [
      { keys: ['j', 'k'], does: 'Next, previous checkpoint' },
      { keys: ['J', 'K'], does: 'Next, previous task' },
      { keys: ['['], does: 'To the parent' },
      { keys: [']'], does: 'To the newest child' },
      { keys: ['n', 'N'], does: 'Next, previous change or match' },
      { keys: ['F'], does: 'Follow the latest' },
    ],
  },
  {
    title: 'Look',
    lines: [
      { keys: ['1', '…', '6'], does: 'The tabs, in their order' },
      { keys: ['o'], does: 'Only changes, or all values' },
      { keys: ['↵'], does: 'The whole of a long value' },
      { keys: ['b'], does: 'Use this checkpoint as base' },
      { keys: ['x'], does: 'Swap base and target' },
      { keys: ['c'], does: 'Compare on a page of its own' },
      { keys: ['/'], does: 'Filter the list in view' },
    ],
  },
  {
    title: 'Change',
    lines: [
      { keys: ['r'], does: 'Restore, with preview' },
      { keys: ['f'], does: 'Fork, with preview' },
      { keys: ['Del'], does: 'To the trash, with preview' },
      { keys: ['z'], does: 'Undo the last change' },
      { keys: ['Ctrl', '↵'], does: 'Confirm a dialog' },
    ],
  },
  {
    title: 'Go',
    lines: [
      { keys: ['Ctrl', 'K'], does: 'Find tasks, checkpoints, actions' },
      { keys: ['g', 't'], does: 'Tasks' },
      { keys: ['g', 'a'], does: 'Activity' },
      { keys: ['g', 's'], does: 'Stores' },
      { keys: ['g', 'x'], does: 'Trash' },
      { keys: ['?'], does: 'This sheet' },
    ],
  },
  {
    title: 'Tree',
    lines: [
      { keys: ['←', '→'], does: 'To the parent, to the child' },
      { keys: ['↑', '↓'], does: 'To the lane above, below' },
      { keys: ['↵'], does: 'Open the checkpoint, unfold a chain' },
      { keys: ['e', 'E'], does: 'Next, previous error' },
      { keys: ['/'], does: 'Find a step' },
      { keys: ['+', '-', '0'], does: 'Closer, farther, all of it' },
    ],
  },
];
