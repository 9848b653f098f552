/** How a checkpoint file is stored. Kaizen writes JSON, then perhaps encrypts, then perhaps compresses. */
export type Variant = 'plain' | 'gz' | 'enc' | 'enc-gz';

export interface FileName {
  readonly name: string;
  /** The id that the name stands for. */
  readonly id: string;
  readonly variant: Variant;
}

const ENDINGS: readonly (readonly [string, Variant])[] = [
  ['.enc.jsonl.gz', 'enc-gz'],
  // Kaizen's loader looks for this one, its writer makes the one above.
  ['.enc.gz.jsonl', 'enc-gz'],
  ['.enc.jsonl', 'enc'],
  ['.jsonl.gz', 'gz'],
  // Named in Kaizen's documents, never written by it.
  ['.gz.jsonl', 'gz'],
  ['.jsonl', 'plain'],
];

/** In this order Kaizen's `load(id)` looks for files. */
const LOAD_ORDER = ['.enc.jsonl', '.enc.gz.jsonl', '.jsonl.gz', '.jsonl'];

/** Logs that Kaizen's coding agents append to in the same folders; no checkpoints. */
const CYCLE_LOG = /^checkpoint_cycle_.*\.jsonl$/;

/** The parts of a checkpoint file's name; `undefined` for any other file. */
export function parseFileName(name: string): FileName | undefined {
  if (name.startsWith('.') || CYCLE_LOG.test(name)) return undefined;
  for (const [ending, variant] of ENDINGS) {
    if (name.length > ending.length && name.endsWith(ending)) {
      return { name, id: name.slice(0, -ending.length), variant };
    }
  }
  return undefined;
}

export function isCycleLog(name: string): boolean {
  return CYCLE_LOG.test(name);
}

export function isEncrypted(variant: Variant): boolean {
  return variant === 'enc' || variant === 'enc-gz';
}

export function isGzipped(variant: Variant): boolean {
  return variant === 'gz' || variant === 'enc-gz';
}

/** The file that Kaizen itself opens for an id. */
export function fileKaizenLoads(id: string, has: (name: string) => boolean): string | undefined {
  return LOAD_ORDER.map((ending) => id + ending).find(has);
}

/** Whether Kaizen would open this file for the id that it is named after, if it were the only one. */
export function isLoadedByName({ name, id }: FileName): boolean {
  return LOAD_ORDER.includes(name.slice(id.length));
}

/** The ids for which Kaizen may open a file of this name. */
export function idsLoadedFrom(name: string): readonly string[] {
  return LOAD_ORDER.filter((ending) => name.endsWith(ending)).map((ending) => name.slice(0, -ending.length));
}

/** Every name that a file of this id may have, the ones that Kaizen loads first. */
export function namesOfId(id: string): readonly string[] {
  const others = ENDINGS.map(([ending]) => ending).filter((ending) => !LOAD_ORDER.includes(ending));
  return [...LOAD_ORDER, ...others].map((ending) => id + ending);
}

/** Only ids made by Kaizen look like this. */
export function looksLikeKaizenId(id: string): boolean {
  return /^ckpt_[0-9a-f]{12}$/.test(id);
}

// Portable on every disk, and never read back as another variant, a log or a hidden file.
const SAFE_ID = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,119}$/;
const UNSAFE_ID = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|^checkpoint_cycle_|\.(enc|gz|jsonl)$|\.$/i;

/** True for an id that can be a file name unchanged. */
export function isSafeId(id: string): boolean {
  return SAFE_ID.test(id) && !UNSAFE_ID.test(id);
}

/** What is written: of the two names for encrypted and compressed the one that Kaizen's loader looks for. */
const WRITTEN: Readonly<Record<Variant, string>> = {
  plain: '.jsonl',
  gz: '.jsonl.gz',
  enc: '.enc.jsonl',
  'enc-gz': '.enc.gz.jsonl',
};

/** @example kaizenFileName('ckpt_0123456789ab', 'gz') // 'ckpt_0123456789ab.jsonl.gz' */
export function kaizenFileName(id: string, variant: Variant): string {
  return id + WRITTEN[variant];
}
