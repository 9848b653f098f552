import { styleText } from 'node:util';
import type { CheckpointStatus } from '@checkpoint-inspector/core';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta';

/** Always with the control sequences: whether they are wanted is the caller's question. */
export const paint = (style: Style, text: string): string => styleText(style, text, { validateStream: false });

const STATUS: Readonly<Record<CheckpointStatus, Style>> = {
  failed: 'red',
  interrupted: 'yellow',
  running: 'cyan',
  pending: 'cyan',
  completed: 'green',
  unknown: 'dim',
};

/** For a column of statuses; what is none of them is a problem. */
export const statusColumn = (title: string) => ({
  title,
  style: (cell: string): Style | undefined => (cell in STATUS ? STATUS[cell as CheckpointStatus] : 'red'),
});
