import fc from 'fast-check';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const scalar = fc.oneof(fc.constantFrom<Json[]>(null, true, false, '', 'open', 'é', '\ud800', 1.5, -0), fc.nat(12));
const key = fc.constantFrom('a', 'b', 'id', 'name', 'kwargs', '*', '__proto__', '0', 'a.b');

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    fc
      .uniqueArray(fc.tuple(fc.nat(9), tie('value')), { maxLength: 7, selector: ([id]) => id })
      .map((rows) => rows.map(([id, own]): Json => ({ id: `row-${id}`, own }))),
  ),
}));

/** States of one run as texts: most values stay as they were; some are spelled in another way. */
export const statesOfRun = fc
  .tuple(value, fc.array(fc.tuple(value, fc.nat(1_000), fc.constantFrom(0, 0, 0, 2)), { minLength: 1, maxLength: 5 }))
  .map(([first, changes]) => {
    const states: Json[] = [{ first, list: [first, 1, first] }];
    for (const [next, at] of changes) states.push(changedAt(states.at(-1) ?? null, at, next));
    return states.map((state, at) => JSON.stringify(state, undefined, changes[at]?.[2] ?? 0));
  });

/** One value somewhere is replaced, added or left out. */
function changedAt(state: Json, at: number, next: Json): Json {
  const rest = Math.floor(at / 7);
  if (Array.isArray(state) && state.length > 0 && at % 7 > 0) {
    const place = at % state.length;
    if (at % 7 === 1) return [...state.slice(0, place), next, ...state.slice(place)];
    if (at % 7 === 2) return state.toSpliced(place, 1);
    return state.with(place, changedAt(state[place] ?? null, rest, next));
  }
  if (typeof state !== 'object' || state === null || Array.isArray(state) || at % 7 === 0) return next;
  const keys = Object.keys(state);
  const own = keys[at % Math.max(1, keys.length)] ?? 'a';
  if (at % 7 === 2) return Object.fromEntries(Object.entries(state).filter(([one]) => one !== own));
  return { ...state, [own]: changedAt(state[own] ?? null, rest, next) };
}
