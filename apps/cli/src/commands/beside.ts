/** What is kept beside a checkpoint, as lines for people. */
import type { BesideAnswer } from '@checkpoint-inspector/inspector';
import { printable, size } from '../output.ts';

export function besideLines(beside: BesideAnswer): string[] {
  const { errors = [], requests, writes = [], moreWrites = 0, next = [], refused } = beside;
  return [
    ...errors.map((error) => `error: ${errorWords(error)}`),
    ...(next.length === 0 ? [] : [`next: ${printable(next.join(', '))}`]),
    ...requests.map(({ from, text }) => `asks: ${named(from, text)}`),
    ...writes.map(({ taskId, node, channel, text, problem, sizeBytes }) =>
      named(`write: ${node ?? taskId} ${channel}`, text ?? `${problem ?? ''} (${size(sizeBytes)})`),
    ),
    ...(moreWrites === 0 ? [] : [`writes that are not listed: ${moreWrites}`]),
    ...Object.entries(refused).map(([act, reason]) => `no ${act}: ${printable(reason)}`),
  ];
}

export const errorWords = ({ node, text }: { readonly node?: string; readonly text: string }): string =>
  named(node, text);

const named = (name: string | undefined, text: string): string =>
  printable(name === undefined ? text : `${name}: ${text}`);
