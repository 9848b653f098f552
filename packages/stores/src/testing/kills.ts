/** Kills a process while it saves, and looks at what is left. */
import { savedState } from './child.ts';
import { openAt, type StorePlace } from './places.ts';
import { killedAfter } from './processes.ts';

const TASK = 't';

/** What is there: true where it was saved, false where it was removed. */
export type Acknowledged = Map<number, boolean>;

/** Of the lines of a child that was cut off. */
export function acknowledge(there: Acknowledged, lines: readonly string[]): void {
  const told = lines.filter((line) => !line.startsWith('e'));
  for (const line of told) there.set(Number(line.slice(1)), line.startsWith('s'));
  // The removal after the last save may have been done, though nobody was told.
  const last = told.at(-1) ?? '';
  if (last.startsWith('s')) there.delete(Number(last.slice(1)) - 2);
}

/**
 * What is wrong after so many kills: acknowledged saves that are lost or differ, removed ones that came back, and what
 * `damage` finds. Each look is taken once nothing happens any more: `settled`.
 */
export async function defectsAfterKills(
  place: StorePlace,
  rounds: number,
  damage: () => Promise<readonly string[]>,
  settled: () => Promise<void> = () => Promise.resolve(),
): Promise<{ acknowledged: number; defects: string[] }> {
  const there: Acknowledged = new Map();
  const defects: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = Math.max(0, ...there.keys()) + 2;
    acknowledge(there, await killedAfter({ place, task: TASK, from, removes: true }, (round * 29) % 120));
    await settled();
    const found = [...(await lookAt(place, there, from)), ...(await damage())];
    defects.push(...found.map((defect) => `round ${round}: ${defect}`));
  }
  defects.push(...(await lookAt(place, there)));
  return { acknowledged: there.size, defects };
}

/** The states from the nth save on are read. */
export async function lookAt(place: StorePlace, there: Acknowledged, from = 0): Promise<string[]> {
  const defects: string[] = [];
  const store = await openAt(place, { readOnly: true });
  const listed = new Set<string>();
  for await (const { id } of store.lineage(TASK)) {
    const n = Number(id.slice(1));
    if (listed.has(id)) defects.push(`${id} is there twice`);
    listed.add(id);
    if (n < from) continue;
    const text = (await store.state({ task: TASK, id }))?.text;
    if (text !== JSON.stringify(savedState(n)))
      defects.push(`${id} ${text === undefined ? 'is listed and not there' : 'differs'}`);
  }
  for (const [n, isSaved] of there)
    if (listed.has(`c${n}`) !== isSaved) defects.push(`c${n} is ${isSaved ? 'lost' : 'back'}`);
  await store.close();
  return defects;
}
