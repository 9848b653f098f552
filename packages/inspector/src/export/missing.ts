/** Checkpoints whose state is not in an export, by the reason. */
export type Missing = Map<string, string[]>;

export function addMissing(missing: Missing, reason: string, id: string): void {
  const ids = missing.get(reason);
  if (ids) ids.push(id);
  else missing.set(reason, [id]);
}

/** A reason that many states share is given once, with their number. */
export function missingWords(missing: Missing): string[] {
  return [...missing].map(([reason, ids]) =>
    ids.length === 1
      ? `The state of "${ids[0]}" is not in it: ${reason}`
      : `The states of ${ids.length} checkpoints are not in it: ${reason}`,
  );
}
