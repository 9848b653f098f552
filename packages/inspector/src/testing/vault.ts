/** For tests: a store of which some rows are locked, unreadable or huge. */
import { createHash } from 'node:crypto';
import { InspectorError, storeId, type CheckpointMeta, type CheckpointSource } from '@checkpoint-inspector/core';

interface Rows {
  readonly readable: number;
  readonly locked: number;
  readonly unreadable: number;
  readonly huge: number;
  readonly location?: string;
}

type Kind = 'readable' | 'locked' | 'unreadable' | 'huge';

const TASK = 'run';
const HUGE = 9_000_000;

/** The key is `right`. */
export function vault({ location, ...counts }: Rows): CheckpointSource {
  const kinds = (Object.entries(counts) as [Kind, number][]).flatMap(([kind, n]) =>
    Array.from({ length: n }, () => kind),
  );
  let isOpen = false;
  const isLocked = (kind: Kind) => kind === 'locked' && !isOpen;
  const textOf = (kind: Kind) => `{"text":"${kind === 'locked' ? 'decrypted' : 'plain'}"}`;
  const metaAt = (kind: Kind, at: number): CheckpointMeta => ({
    store: storeId('vault'),
    id: `${at}`,
    taskId: TASK,
    lineage: 'none',
    seq: at + 1,
    timeBasis: 'none',
    status: 'unknown',
    labels: [],
    sizeBytes: kind === 'huge' ? HUGE : 20,
    isLatest: at === kinds.length - 1,
    ...(isLocked(kind) ? { problem: { code: 'locked' as const, message: 'It is locked.' } } : {}),
    ...(kind === 'unreadable' ? { problem: { code: 'unreadable' as const, message: 'It is torn.' } } : {}),
    ...(kind === 'locked' && isOpen ? { description: 'whispered' } : {}),
  });
  const metas = () => kinds.map(metaAt).toReversed();
  return {
    info: {
      id: storeId('vault'),
      system: 'vault',
      label: 'vault',
      latestRule: 'the last one',
      volatilePaths: [],
      indexed: { n: kinds.length, of: kinds.length },
      capabilities: { restore: 'no', fork: 'no', edit: 'no', delete: 'no' },
      ...(location === undefined ? {} : { location, identity: location }),
    },
    tasks: async () => ({
      items: [
        {
          store: storeId('vault'),
          id: TASK,
          title: TASK,
          system: 'vault',
          checkpointCount: kinds.length,
          unreadable: 0,
          status: 'unknown',
        },
      ],
    }),
    checkpoints: async () => ({ items: metas() }),
    async *lineage() {},
    async state(ref) {
      const kind = kinds[Number(ref.id)] ?? 'unreadable';
      if (isLocked(kind)) throw new InspectorError('locked', 'It is locked.');
      const text = textOf(kind);
      return { text, revision: createHash('sha256').update(text).digest('hex') };
    },
    meta: async (ref) => metas().find(({ id }) => id === ref.id),
    raw: async () => undefined,
    latest: async () => ({ basis: 'none' }),
    find: async () => [],
    async unlock(key) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      if (key !== 'right') throw new InspectorError('wrong_key', 'That is another key.');
      isOpen = true;
    },
  };
}
