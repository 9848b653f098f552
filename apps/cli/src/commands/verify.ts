import { verifyStores } from '@checkpoint-inspector/api';
import type { StoreVerified, Verified } from '@checkpoint-inspector/api';
import { InspectorError, formatAddress } from '@checkpoint-inspector/core';
import type { VerifyFinding } from '@checkpoint-inspector/core';
import { limited, LIMIT_OPTION } from '../limit.ts';
import { coloured, print, printable, size, table } from '../output.ts';
import type { Output } from '../output.ts';
import type { Run } from '../session.ts';
import { withStores } from '../verbs.ts';
import type { Common, Verbs } from '../verbs.ts';

interface VerifyOptions extends Common {
  readonly limit?: string;
}

interface Unopened {
  readonly store: string;
  readonly error: { readonly code: string; readonly message: string; readonly remedy: string };
}

export function addVerify(verbs: Verbs): void {
  verbs
    .overStores('verify [store...]', {
      group: 'keep',
      about: 'read every checkpoint and say what is damaged; the exit code is 6 if anything is',
      examples: ['verify', 'verify ./checkpoints.sqlite ./kaizen', 'verify ./checkpoints.sqlite --json'],
    })
    .option(...LIMIT_OPTION)
    .action((paths: string[], options: VerifyOptions) => {
      const unopened: Unopened[] = [];
      const onFailure = (store: string, error: InspectorError) =>
        void unopened.push({ store, error: error.toWire().error });
      const store = [...paths, ...(options.store ?? [])];
      return withStores(verbs, { ...options, store, readOnly: true, onFailure }, (run) =>
        verify(run, unopened, options),
      );
    });
}

/**
 * `verify [store…]`: every state can be read and is exact JSON, parents are there, the latest leads somewhere, and
 * SQLite finds its file sound. @throws InspectorError unreadable when something is damaged
 */
async function verify(run: Run, unopened: readonly Unopened[], options: VerifyOptions): Promise<void> {
  const { session, output } = run;
  const verified = await verifyStores(session.stores);
  const failures = [...unopened, ...verified.failures];
  const damaged = verified.damaged + unopened.length;
  print(output, { ...verified, failures, damaged }, () => linesOf(output, { ...verified, damaged }, failures, options));
  if (damaged === 0) return;
  throw new InspectorError('unreadable', `${damaged} damaged ${damaged === 1 ? 'part' : 'parts'} found.`, {
    remedy: 'Go on from a checkpoint that can be read; `show <checkpoint> --raw` prints what is stored.',
  });
}

function linesOf(
  output: Output,
  { items, damaged }: Pick<Verified, 'items' | 'damaged'>,
  failures: readonly Unopened[],
  { limit }: VerifyOptions,
): string[] {
  const findings = items.flatMap((item) => item.findings.map((finding) => ({ item, finding })));
  const shown = limited(output, findings, limit);
  return [
    ...table(
      [
        'STORE',
        'SYSTEM',
        'TASKS',
        'CHECKPOINTS',
        'READ',
        'DAMAGED',
        'LOCKED',
        'NOT READ',
        'PARENTS GONE',
        'STATES',
        'SQLITE',
      ],
      items.map(cells),
      output.terminal,
    ),
    ...shown.items.map(({ item, finding }) => findingLine(output, item, finding)),
    ...shown.more,
    ...failures.map(({ store, error }) => coloured(output, 'red', printable(`damaged: ${store}: ${error.message}`))),
    damaged === 0 ? coloured(output, 'green', 'No damage found.') : '',
  ].filter((line) => line !== '');
}

const cells = (item: StoreVerified): string[] => [
  item.store,
  item.system,
  ...[item.tasks, item.checkpoints, item.read, item.damaged, item.locked, item.notRead, item.parentsMissing].map(
    String,
  ),
  size(item.stateBytes),
  item.integrity?.join('; ') ?? '',
];

const WORDS: Record<VerifyFinding['kind'], string> = {
  damaged: 'damaged',
  locked: 'locked',
  'not-read': 'not read',
  'parent-missing': 'parent gone',
  note: 'note',
};

function findingLine(output: Output, { store }: StoreVerified, { ref, kind, message }: VerifyFinding): string {
  const where = ref === undefined ? store : formatAddress({ store, ...ref });
  const line = printable(`${WORDS[kind]}: ${where}: ${message}`);
  return kind === 'damaged' ? coloured(output, 'red', line) : line;
}
