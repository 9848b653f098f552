import type { CheckpointSource } from '../contract.ts';
import { InspectorError, type ErrorCode } from '../errors.ts';
import { sha256Hex } from '../hash.ts';
import { refIn, refKey, refOfMeta } from '../ids.ts';
import { walkJson } from '../json/index.ts';
import type { CheckpointMeta, CheckpointRef, LineageRow, StoreId } from '../model.ts';
import { everyItem } from '../page.ts';

export interface VerifyFinding {
  /** Absent: it is about the store as a whole. */
  readonly ref?: CheckpointRef;
  /** `damaged` is what counts; the others are said so that nobody wonders. */
  readonly kind: 'damaged' | 'locked' | 'not-read' | 'parent-missing' | 'note';
  readonly message: string;
}

export interface VerifyReport {
  readonly store: StoreId;
  readonly system: string;
  readonly label: string;
  readonly tasks: number;
  readonly checkpoints: number;
  /** Of these: states that were read and are exact JSON. */
  readonly read: number;
  readonly damaged: number;
  /** Encrypted, and no key was given. */
  readonly locked: number;
  /** Not looked at, which says nothing of damage: of another format, too large, in use by another process, or gone. */
  readonly notRead: number;
  readonly parentsMissing: number;
  /** Of all states, in UTF-8. */
  readonly stateBytes: number;
  readonly findings: readonly VerifyFinding[];
}

/** What a report counts as it goes. */
interface Tally {
  tasks: number;
  checkpoints: number;
  read: number;
  stateBytes: number;
  readonly findings: VerifyFinding[];
}

/** Every other failure says nothing about what is stored: a format that is not read, another process, a full disk. */
const KINDS: Partial<Record<ErrorCode, VerifyFinding['kind']>> = {
  unreadable: 'damaged',
  locked: 'locked',
  wrong_key: 'locked',
};

/**
 * Reads every checkpoint of a store: each state, its JSON, its hash where the store keeps one, its parent, and the
 * latest of every task. Nothing is written.
 * @throws InspectorError only where the list of tasks itself cannot be read
 * @example const { damaged, findings } = await verifySource(source);
 */
export async function verifySource(source: CheckpointSource, signal?: AbortSignal): Promise<VerifyReport> {
  const tally: Tally = { tasks: 0, checkpoints: 0, read: 0, stateBytes: 0, findings: [] };
  for await (const { id } of everyItem((query) => source.tasks(query))) {
    signal?.throwIfAborted();
    tally.tasks++;
    await noting(tally, undefined, () => verifyTask(source, id, tally, signal));
  }
  await noting(tally, undefined, () => verifyParts(source, tally, signal));
  const { findings, ...counts } = tally;
  const count = (kind: VerifyFinding['kind']) => findings.filter((one) => one.kind === kind).length;
  const { id, system, label } = source.info;
  return {
    store: id,
    system,
    label,
    ...counts,
    damaged: count('damaged'),
    locked: count('locked'),
    notRead: count('not-read'),
    parentsMissing: count('parent-missing'),
    findings,
  };
}

async function verifyTask(
  source: CheckpointSource,
  task: string,
  tally: Tally,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const meta of everyItem((query) => source.checkpoints(task, query))) {
    signal?.throwIfAborted();
    tally.checkpoints++;
    await noting(tally, refOfMeta(meta), () => verifyState(source, meta, tally));
  }
  await verifyParents(source, task, tally);
  await verifyLatest(source, task, tally);
}

/** @throws InspectorError for what is wrong with it */
async function verifyState(source: CheckpointSource, meta: CheckpointMeta, tally: Tally): Promise<void> {
  const ref = refOfMeta(meta);
  const state = await source.state(ref);
  if (state === undefined) {
    // The agent may have removed it since the list was read.
    if ((await source.find(ref.id)).every((one) => refKey(one) !== refKey(ref))) return;
    throw new InspectorError('unreadable', 'It is listed but has no state.');
  }
  const bytes = new TextEncoder().encode(state.text);
  tally.stateBytes += bytes.length;
  checkJson(state.text);
  if (state.sha256 !== undefined && (await sha256Hex(bytes)) !== state.sha256)
    throw new InspectorError('unreadable', 'Its state does not match its hash.');
  tally.read++;
}

/** Builds no tree, which takes ten times the memory of the text. @throws InspectorError unreadable */
function checkJson(text: string): void {
  const values = walkJson(text);
  while (!values.next().done);
}

/** What reading the states has told already isn't said again. */
async function verifyParts(source: CheckpointSource, tally: Tally, signal: AbortSignal | undefined): Promise<void> {
  const told = new Set(tally.findings.flatMap(({ ref, kind }) => (ref && kind === 'damaged' ? [refKey(ref)] : [])));
  for (const { ref, message } of (await source.damage?.({ signal })) ?? [])
    if (!told.has(refKey(ref))) tally.findings.push({ ref, kind: 'damaged', message });
}

async function verifyParents(source: CheckpointSource, task: string, tally: Tally): Promise<void> {
  const rows: LineageRow[] = [];
  for await (const row of source.lineage(task)) rows.push(row);
  const known = new Set(rows.map((row) => refKey(refIn(task, row))));
  for (const { parent, ...row } of rows) {
    if (parent === undefined || known.has(refKey(parent))) continue;
    const elsewhere = parent.task !== task && (await source.find(parent.id)).some((ref) => ref.task === parent.task);
    if (elsewhere) continue;
    const message = `Its parent "${parent.id}" is not in the store.`;
    tally.findings.push({ ref: refIn(task, row), kind: 'parent-missing', message });
  }
}

async function verifyLatest(source: CheckpointSource, task: string, tally: Tally): Promise<void> {
  const { ref, note } = await source.latest(task);
  if (note !== undefined) tally.findings.push({ ...(ref === undefined ? {} : { ref }), kind: 'note', message: note });
  // A state that cannot be read is among the findings already; here only the latest that leads nowhere.
  if (ref !== undefined && (await source.find(ref.id)).length === 0)
    tally.findings.push({ ref, kind: 'damaged', message: `The latest of "${task}" is not in the store.` });
}

async function noting(tally: Tally, ref: CheckpointRef | undefined, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const { code, message } = InspectorError.from(thrown);
    if (code === 'internal') throw thrown;
    const kind = KINDS[code] ?? 'not-read';
    tally.findings.push({ ...(ref === undefined ? {} : { ref }), kind, message });
  }
}
