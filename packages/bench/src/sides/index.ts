import { files } from './files.ts';
import { fullRows } from './full-rows.ts';
import { sqliteSaver } from './langgraph.ts';
import { ours } from './ours.ts';
import type { SideKind } from './side.ts';

export { KEEP, type Side, type SideKind, type Step } from './side.ts';

/** Every other store is compared with this one. */
export const BASE = fullRows.name;

export const SIDES: readonly SideKind[] = [fullRows, sqliteSaver, files, ...ours];
