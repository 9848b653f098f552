import type { FileEntry } from '../files/list.ts';

interface ReadFile {
  readonly entry: FileEntry;
}

/** What was read of a file as text: all but its entry, which a look at the folder gives. */
export function packed(file: ReadFile): string {
  return JSON.stringify({ ...file, entry: undefined }, (_key, value: unknown) => {
    if (typeof value === 'bigint') return { $bigint: value.toString() };
    return value instanceof Map ? { $map: [...value] } : value;
  });
}

/** The file again: with the members that `packed` was given. */
export function unpacked(entry: FileEntry, text: string): ReadFile {
  const read: object = JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$bigint' in value) return BigInt(String(value.$bigint));
    return '$map' in value && Array.isArray(value.$map) ? new Map(value.$map as [unknown, unknown][]) : value;
  });
  return { ...read, entry };
}
