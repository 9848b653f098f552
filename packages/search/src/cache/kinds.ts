/** As `texts.kind` holds them; `name` is what a step is called. */
export const KIND = { path: 0, string: 1, scalar: 2, container: 3, name: 4 } as const;
export type TextKind = (typeof KIND)[keyof typeof KIND];
