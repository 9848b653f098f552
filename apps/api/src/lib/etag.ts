/** True when an If-None-Match header names the hash (weak comparison, as caches do). */
export function matchesEtag(header: string | undefined, hash: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${hash}"`);
}

/** The hashes of an If-Match header; only strong tags count. */
export function strongTags(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/(?<!W\/)"([^"]*)"/g)].map((match) => match[1] ?? '');
}
