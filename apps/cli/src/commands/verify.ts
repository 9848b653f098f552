import { existsSync, statSync } from 'node:fs';
import { verifyStores, type StoreVerified, type Verified } from '@checkpoint-inspector/inspector';
import { InspectorError, formatAddress, type VerifyFinding, type WireError } from '@checkpoint-inspector/core';
import { limited, LIMIT_OPTION, coloured, print, printable, size, table, type Output } from '../output.ts';
import type { Run } from '../workspace.ts';
import { withStores, type Listing, type Verbs } from '../verbs.ts';

interface Unopened {
  readonly store: string;
  readonly error: WireError['error'];
}

/** What was named: stores that could not be opened, and paths that contain none. */
interface Left {
  readonly unopened: Unopened[];
  readonly absent: Unopened[];
}

export function addVerify(verbs: Verbs): void {
  verbs
    .overStores('verify [store...]', {
      group: 'keep',
      about: 'read every checkpoint and report damage; the exit code is 6 if there is any',
      examples: ['verify', 'verify ./checkpoints.sqlite ./kaizen', 'verify ./checkpoints.sqlite --json'],
    })
    .option(...LIMIT_OPTION)
    .action((paths: string[], options: Listing) => {
      const left: Left = { unopened: [], absent: [] };
      const onFailure = (store: string, error: InspectorError) =>
        void (isAbsent(store, error) ? left.absent : left.unopened).push({ store, error: error.toWire().error });
      const store = [...paths, ...(options.store ?? [])];
      return withStores(verbs, { ...options, store, readOnly: true, onFailure }, (run) => verify(run, left, options));
    });
}

/**
 * `verify [store…]`: every state can be read and is exact JSON, parents are there, the latest leads somewhere, and
 * SQLite finds its file sound. @throws InspectorError unreadable when something is damaged | no_store
 */
async function verify({ workspace, output }: Run, { unopened, absent }: Left, options: Listing): Promise<void> {
  const [missing] = absent;
  if (missing && unopened.length === 0 && workspace.sources().length === 0) throw noStore(missing);
  const verified = await verifyStores(workspace.stores);
  const broken = [...unopened, ...verified.failures];
  const damaged = verified.damaged + unopened.length;
  print(output, { ...verified, failures: [...broken, ...absent], damaged }, () =>
    linesOf(output, { items: verified.items, broken, absent, damaged }, options),
  );
  if (damaged === 0 && missing) throw noStore(missing);
  if (damaged === 0) return;
  throw new InspectorError('unreadable', `${damaged} damaged ${damaged === 1 ? 'part' : 'parts'} found.`, {
    remedy: 'Resume from a readable checkpoint. `show <checkpoint> --raw` prints the stored bytes.',
  });
}

const noStore = ({ error: { code, message, remedy } }: Unopened): InspectorError =>
  new InspectorError(code, message, { remedy });

/** A path where nothing is, or a folder without stores; a file that cannot be opened may be a damaged store. */
const isAbsent = (path: string, { code }: InspectorError): boolean =>
  code === 'no_store' && !(existsSync(path) && statSync(path).isFile());

interface Told extends Pick<Verified, 'items' | 'damaged'> {
  readonly broken: readonly Unopened[];
  readonly absent: readonly Unopened[];
}

function linesOf(output: Output, { items, damaged, broken, absent }: Told, { limit }: Listing): string[] {
  const findings = items.flatMap((item) => item.findings.map((finding) => ({ item, finding })));
  const shown = limited(output, findings, limit);
  return [
    ...table(HEAD, items.map(cells), output.terminal),
    ...shown.items.map(({ item, finding }) => findingLine(output, item, finding)),
    ...shown.more,
    ...broken.map(({ store, error }) => coloured(output, 'red', printable(`damaged: ${store}: ${error.message}`))),
    ...absent.map(({ store, error }) => printable(`not found: ${store}: ${error.message}`)),
    damaged === 0 && absent.length === 0 ? coloured(output, 'green', soundWords(items)) : '',
  ].filter((line) => line !== '');
}

const soundWords = (items: readonly StoreVerified[]): string =>
  items.some(({ locked, notRead }) => locked + notRead > 0)
    ? 'No damage found in the checkpoints that could be read.'
    : 'No damage found.';

const COUNTED = ['TASKS', 'CHECKPOINTS', 'READ', 'DAMAGED', 'LOCKED', 'NOT READ', 'PARENTS GONE'];
const HEAD = ['STORE', 'SYSTEM', ...COUNTED, 'STATES', 'SQLITE'];

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
