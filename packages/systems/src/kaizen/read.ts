import { InspectorError, paced } from '@checkpoint-inspector/core';
import type { KeyObject } from 'node:crypto';
import { FolderSource, planDelete, readStored, type FolderOptions, type FolderRules } from '../folder/index.ts';
import { decodeDocument } from './codec.ts';
import { keysOfText } from './crypt.ts';
import { KaizenReader, stateText, type StoredFile } from './files.ts';
import { infoOf } from './info.ts';
import { listing } from './meta.ts';
import { isEncrypted } from './names.ts';
import { count, planCopy } from './plan-copy.ts';
import { snapshotInSteps, type PlacedRow, type Snapshot } from './rows.ts';
import { taskAfterInSteps } from './task-after.ts';

export type KaizenOptions = FolderOptions;

const rulesWith = (reader: KaizenReader): FolderRules<StoredFile, PlacedRow, Snapshot> => ({
  reader,
  snapshotOf: snapshotInSteps,
  info: infoOf,
  ...listing,
  /** Encrypted files are copied with the keys that are open in this session. */
  plan: (request, basis) =>
    request.kind === 'delete'
      ? planDelete(request, basis, {
          resumer: 'agent',
          latestWithout: async (remove, task) =>
            (await paced(taskAfterInSteps(basis.snapshot, task, { remove }))).latest,
          orphans: (n, names) =>
            `The recorded parent of ${count(n)} (${names}) will be missing. Kaizen doesn't need it.`,
        })
      : planCopy(request, { ...basis, keys: reader.keys }),
  placeOf: (row) => [row.file.facts?.time?.micros.toString() ?? ''],
  isAfter: (row, [time = '']) => /^-?\d+$/.test(time) && (row.file.facts?.time?.micros ?? 0n) < BigInt(time),
});

/** A folder of Kaizen checkpoint files. Reading never writes; changes are plans of file ops. */
export class KaizenSource extends FolderSource<StoredFile, PlacedRow, Snapshot> {
  /** Its keys are in memory only, until `close`. */
  readonly #reader: KaizenReader;

  private constructor(options: KaizenOptions, reader: KaizenReader) {
    super(options, rulesWith(reader));
    this.#reader = reader;
  }

  /** @throws InspectorError not_found | unreadable */
  static open(options: KaizenOptions): Promise<KaizenSource> {
    return new KaizenSource(options, new KaizenReader()).opened();
  }

  /**
   * Opens the encrypted files that this key fits, in memory and for this session; they join their agents. A store
   * with several keys is unlocked once with each.
   * @param key a passphrase, or a raw key as 64 hex digits
   * @throws InspectorError invalid_input (blank) | wrong_key (there are encrypted files, and it opens none)
   */
  async unlock(key: string): Promise<void> {
    const candidates = await keysOfText(key);
    const { folder } = await this.snapshot();
    const fitting = await findKey(this.options.folder, folder.files, candidates);
    const { keys } = this.#reader;
    const fresh = fitting.filter((found) => !keys.some((known) => known.equals(found)));
    if (fresh.length === 0) return;
    this.#reader.useKeys([...keys, ...fresh]);
    this.index.reread(this.#reader.isLocked);
    await this.snapshot();
    this.tell();
  }

  /** Forgets the keys: encrypted files are locked again. */
  override async close(): Promise<void> {
    await super.close();
    this.#reader.useKeys([]);
    this.index.reread(this.#reader.isLocked);
  }

  protected override async textOf({ file }: PlacedRow, bytes: Uint8Array): Promise<string> {
    return stateText((await decodeDocument(file.variant, bytes, this.#reader.keys)).text);
  }
}

/** The key that opens a file; all where there is none to try them on. @throws InspectorError wrong_key */
export async function findKey(
  folder: string,
  files: readonly StoredFile[],
  candidates: readonly KeyObject[],
): Promise<readonly KeyObject[]> {
  const encrypted = files.filter((file) => isEncrypted(file.variant));
  if (encrypted.length === 0) return candidates;
  // Files that no key has opened yet come first: a second key is meant for those.
  const order = encrypted.toSorted((a, b) => Number(Boolean(a.facts)) - Number(Boolean(b.facts)));
  for (const file of order) {
    const key = await keyOf(folder, file, candidates);
    if (key) return [key];
  }
  throw new InspectorError(
    'wrong_key',
    encrypted.length === 1
      ? "This key doesn't open the encrypted file."
      : `This key opens none of the ${encrypted.length} encrypted files.`,
  );
}

/** A file that cannot be read, or is damaged, tells nothing about a key. */
async function keyOf(
  folder: string,
  file: StoredFile,
  candidates: readonly KeyObject[],
): Promise<KeyObject | undefined> {
  try {
    return (await decodeDocument(file.variant, await readStored(folder, file), candidates)).key;
  } catch {
    return undefined;
  }
}
