import type { Registry } from '@checkpoint-inspector/systems/registry';
import type { StoreStructure } from './describe.ts';

export type { SourceStructure, StoreStructure } from './describe.ts';

/** `describeStore` of describe.ts, loaded when it is called: one command of many does. */
export async function describeStore(registry: Registry, path: string): Promise<StoreStructure> {
  const described = await import('./describe.ts');
  return described.describeStore(registry, path);
}
