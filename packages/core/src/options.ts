/** Refusals of what a caller has misspelt: it would be dropped, and nobody would know. */
import type { SaveOptions, WriteOptions } from './contract.ts';
import { InspectorError } from './errors.ts';
import { refIn, sameRef } from './ids.ts';
import type { CheckpointRef } from './model.ts';
import { nearest } from './nearest.ts';

/** How a refusal names the keys, such as the member of an object that has them. */
interface KeyNames {
  readonly what?: 'option' | 'field';
  readonly prefix?: string;
}

/** @throws InspectorError invalid_input that names the nearest known key */
export function checkKeys(
  given: unknown,
  known: readonly string[],
  { what = 'option', prefix = '' }: KeyNames = {},
): void {
  if (typeof given !== 'object' || given === null)
    throw new InspectorError('invalid_input', `Give the ${what}s as an object.`, { data: { known } });
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const meant = prefix + (nearest(key, known) ?? '');
    throw new InspectorError('invalid_input', `Unknown ${what} "${prefix}${key}"; did you mean "${meant}"?`, {
      data: { key: prefix + key, nearest: meant },
      remedy: `Known ${what}s: ${known.map((name) => prefix + name).join(', ')}.`,
    });
  }
}

/** @throws InspectorError invalid_input that names the nearest known value; an absent one is fine */
export function checkOneOf(key: string, value: unknown, known: readonly string[]): void {
  if (value === undefined) return;
  const remedy = `Known values: ${known.join(', ')}.`;
  if (typeof value !== 'string')
    throw new InspectorError('invalid_input', `${key} must be text.`, { data: { key }, remedy });
  if (known.includes(value)) return;
  const meant = nearest(value, known) ?? '';
  throw new InspectorError('invalid_input', `Unknown ${key} "${value}"; did you mean "${meant}"?`, {
    data: { key, nearest: meant },
    remedy,
  });
}

/** @throws InspectorError invalid_input */
export function checkSaveOptions(options: SaveOptions): void {
  checkKeys(options, ['ifExists', 'immutable', 'mayEvict']);
  checkOneOf('ifExists', options.ifExists, ['refuse', 'replace']);
  for (const ref of options.mayEvict ?? []) checkRef(ref);
}

/**
 * Called with what a save has just evicted, inside its transaction: a throw puts all of it back.
 * @throws InspectorError changed
 */
export function checkEvicted({ mayEvict }: SaveOptions, evicted: readonly CheckpointRef[]): void {
  if (mayEvict === undefined) return;
  if (evicted.every((ref) => mayEvict.some((one) => sameRef(one, ref)))) return;
  const words = evicted.length === 1 ? 'a checkpoint' : `${evicted.length} checkpoints`;
  throw new InspectorError('changed', `The task is full: this save would evict ${words}.`, {
    data: { evicts: evicted },
  });
}

/** What a save that `mayEvict` refused would have evicted; `undefined` for any other error. */
export function refusedEvictions(error: unknown): readonly CheckpointRef[] | undefined {
  const evicts = InspectorError.is(error) && error.code === 'changed' ? error.data?.['evicts'] : undefined;
  return Array.isArray(evicts) ? evicts.map((ref: CheckpointRef) => refIn(ref.task, ref)) : undefined;
}

/** @throws InspectorError invalid_input */
export function checkWriteOptions(options: WriteOptions): void {
  checkKeys(options, ['ifExists']);
  checkOneOf('ifExists', options.ifExists, ['replace', 'keep']);
}

const OF_CALLS = ['signal', 'partial', 'background', 'mostCharacters', 'reading'];

/** @throws InspectorError invalid_input for an option that reading a page, tasks or a difference doesn't know */
export const checkPageQuery = (query: unknown): void => checkKeys(query, ['limit', 'cursor', 'around', ...OF_CALLS]);
export const checkTaskQuery = (query: unknown): void => checkKeys(query, ['limit', 'cursor', 'text', ...OF_CALLS]);
export const checkDiffOptions = (options: unknown): void => checkKeys(options, ['ignore', ...OF_CALLS]);

/** Of another type, an id or a path names nothing. @throws InspectorError invalid_input */
export function checkId(name: string, value: unknown): void {
  if (typeof value === 'string') return;
  throw new InspectorError('invalid_input', `${name} must be text.`, { data: { key: name } });
}

/** What isn't a ref names nothing: "not there" would be the wrong answer. @throws InspectorError invalid_input */
export function checkRef(ref: unknown): void {
  const { task, id, namespace = '' } = Object(ref);
  if (typeof task === 'string' && typeof id === 'string' && typeof namespace === 'string') return;
  throw new InspectorError('invalid_input', 'A checkpoint is named by a ref, { task, id } with texts.', {
    data: { key: 'ref' },
    remedy: 'Where only the id is known: const [ref] = await store.find(id).',
  });
}

/** What was given, as a refusal names it: a text in quotes, since "3" isn't 3. */
export function asGiven(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'absent');
}
