/** Style sheets that could not be fetched. Vite asks for each once, so a part that comes later would come without them. */
const missing = new Set<HTMLLinkElement>();
globalThis.addEventListener?.(
  'error',
  ({ target }) => target instanceof HTMLLinkElement && missing.add(target),
  // Errors of elements don't bubble.
  true,
);

/** Fetches the code of a part of the page, and the styles that were missing when it was asked for before. */
export function fetchPart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (const link of missing) link.replaceWith(link.cloneNode());
  missing.clear();
  return load();
}
