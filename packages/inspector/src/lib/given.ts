type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The same object without keys whose value is `undefined`: absence is absence. */
export function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
