import type { CheckpointRef, LineageRow } from '@checkpoint-inspector/core';

/** A row of task `t`; its seq is its place in the list it is put into by `rows`. */
export type Sketch = readonly [id: string, parent?: string | CheckpointRef | undefined, more?: Partial<LineageRow>];

export function rows(...sketches: readonly Sketch[]): LineageRow[] {
  return sketches.map(([id, parent, more], index) => ({
    id,
    ...(parent === undefined ? {} : { parent: typeof parent === 'string' ? { task: 't', id: parent } : parent }),
    kind: parent === undefined ? 'none' : 'recorded',
    status: 'completed',
    seq: index + 1,
    isLatest: false,
    ...more,
  }));
}

/** A chain of `length` checkpoints with the ids `name1`, `name2`, …; the last is the latest. */
export function chain(length: number, name = 'c'): LineageRow[] {
  return rows(
    ...Array.from({ length }, (_, at): Sketch => [
      `${name}${at + 1}`,
      at === 0 ? undefined : `${name}${at}`,
      { isLatest: at === length - 1 },
    ]),
  );
}

/** Many rows with forks and failures, the same for the same seed. */
export function forest(count: number, seed = 7, forks = 300): LineageRow[] {
  let state = seed;
  const random = (): number => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  const heads = [0];
  const parents: (number | undefined)[] = [undefined];
  for (let at = 1; at < count; at++) {
    if (heads.length < forks && random() < forks / count) {
      parents.push(Math.floor(random() * at));
      heads.push(at);
      continue;
    }
    const head = random() < 0.7 ? 0 : Math.floor(random() * heads.length);
    parents.push(heads[head]);
    heads[head] = at;
  }
  return rows(
    ...parents.map((parent, at): Sketch => [
      `n${at}`,
      parent === undefined ? undefined : `n${parent}`,
      { status: at % 997 === 996 ? 'failed' : 'completed', isLatest: at === count - 1 },
    ]),
  );
}
