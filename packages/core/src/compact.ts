type Absent<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];
type Compact<T> = Omit<T, Absent<T>> & { [K in Absent<T>]?: Exclude<T[K], undefined> };

/** The same object without keys whose value is `undefined`: absence is absence. */
export function compact<T extends object>(values: T): Compact<T> {
  const kept: Record<string, unknown> = {};
  for (const name in values) if (values[name] !== undefined) kept[name] = values[name];
  return kept as Compact<T>;
}

/** The same object with some members in place of its own; the others are asked of it, as they are at that time. */
export function overlaid<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(own, key) {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key);
      const value: unknown = Reflect.get(own, key);
      return typeof value === 'function' ? value.bind(own) : value;
    },
  });
}
