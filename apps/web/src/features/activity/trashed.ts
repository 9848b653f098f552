/** The trash by change: what one change removed comes back together. */
import type { TrashItem, TrashSummary } from '../../lib/api.ts';
import { formatSize, plural } from '../../lib/format.ts';

type TrashSize = Pick<TrashSummary, 'checkpoints' | 'bytes'>;

export interface Trashed {
  readonly receiptId: string;
  /** At least one, in the order of the trash. */
  readonly items: readonly [TrashItem, ...TrashItem[]];
}

/** Newest change first, as its items are listed. */
export function changesOf(items: readonly TrashItem[]): readonly Trashed[] {
  const changes = new Map<string, [TrashItem, ...TrashItem[]]>();
  for (const item of items) {
    const known = changes.get(item.receiptId);
    if (known === undefined) changes.set(item.receiptId, [item]);
    else known.push(item);
  }
  return [...changes].map(([receiptId, found]) => ({ receiptId, items: found }));
}

/** All of them together; `undefined` where one has no size. */
export function bytesOf(items: readonly TrashItem[]): number | undefined {
  let sum = 0;
  for (const { sizeBytes } of items) {
    if (sizeBytes === undefined) return undefined;
    sum += sizeBytes;
  }
  return sum;
}

/** The rows give the sizes of states; what the undo of each change keeps on the disk is more, or less. */
export const sumWords = ({ checkpoints, bytes }: TrashSize): string =>
  `${plural(checkpoints, 'checkpoint')}, kept byte for byte; ${formatSize(bytes)} on disk`;

const DAY_MS = 24 * 60 * 60 * 1000;

/** @example expiryText('2026-02-01T00:00:00Z', now) // 'kept 12 more days' */
export function expiryText(expiresAt: string, now: number): string {
  const days = (Date.parse(expiresAt) - now) / DAY_MS;
  if (days <= 0) return 'expired, kept until you purge it';
  const whole = Math.ceil(days);
  return whole === 1 ? 'kept 1 more day' : `kept ${whole} more days`;
}
