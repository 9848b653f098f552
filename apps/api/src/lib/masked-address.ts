/** Requests that name what is masked, as copied links do. */
import { idFromSegment, idToSegment, InspectorError, parseRunAddress } from '@checkpoint-inspector/core';
import { isMasked, unmasked, type Inspector } from '@checkpoint-inspector/inspector';

/** What masking leaves in an address. */
export const MASKED = encodeURIComponent('••••');

/**
 * The same address with the names that are stored.
 * @throws InspectorError not_found | ambiguous_id
 * @example await storedAddress(request.url, inspector) // …/api/stores/prod/tasks/deploy%20ghp_0123…
 */
export async function storedAddress(text: string, { stores, masking }: Inspector): Promise<string> {
  const url = new URL(text);
  const { searchParams: query } = url;
  const parts = url.pathname.split('/').map(decoded);
  const [, , , store, kind, name = ''] = parts;
  const sources = stores.list().map(({ id }) => stores.source(id));
  const find = async (...names: readonly (string | null | undefined)[]) => {
    const [last = ''] = names.slice(-1);
    if (last === null || !isMasked(last)) return undefined;
    const known = names.filter((one): one is string => typeof one === 'string' && one !== '');
    return parseRunAddress(await unmasked(known.map(idToSegment).join('/'), sources, masking.masker()));
  };
  const task = kind === 'tasks' ? name : query.get('task');
  const wanted = await find(store, task);
  const inTask = wanted?.task ?? task;
  const put = (key: string, value: string | undefined): void => void (value !== undefined && query.set(key, value));
  if (kind === 'tasks' && wanted) parts[5] = wanted.task;
  else put('task', wanted?.task);
  if (kind === 'checkpoints') parts[5] = (await find(store, inTask, name))?.id ?? name;
  put('cp', (await find(store, inTask, query.get('cp')))?.id);
  for (const key of ['a', 'b']) {
    const address = query.get(key);
    if (address !== null && isMasked(address)) query.set(key, await unmasked(address, sources, masking.masker()));
  }
  url.pathname = parts.map((part, at) => (at < 4 ? part : idToSegment(part))).join('/');
  return url.href;
}

function decoded(part: string): string {
  try {
    return idFromSegment(decodeURIComponent(part));
  } catch (cause) {
    throw new InspectorError('invalid_input', 'A part of the address is not encoded as URLs are.', { cause });
  }
}
