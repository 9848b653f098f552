/** A reader of a format of one's own, as code: only from a module that the person names on the command line. */
import { InspectorError, type System } from '@checkpoint-inspector/core';
import type { SystemEntry } from '@checkpoint-inspector/systems/registry';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const SYSTEM = [
  '--system <module>',
  'a module of your own that reads a format: its default export is a System; its code runs',
] as const;

/** @throws InspectorError invalid_input where the module can't be loaded, or exports no system */
export async function ownSystems(module: string | undefined): Promise<readonly SystemEntry[]> {
  if (module === undefined) return [];
  const path = resolve(module);
  const loaded: unknown = await import(pathToFileURL(path).href).catch((cause: unknown) => {
    throw new InspectorError(
      'invalid_input',
      `The module "${path}" can't be loaded: ${InspectorError.from(cause).message}`,
      {
        cause,
        data: { path },
      },
    );
  });
  const system = hasDefault(loaded) ? loaded.default : undefined;
  if (!isSystem(system))
    throw new InspectorError('invalid_input', `The default export of "${path}" isn't a System.`, {
      data: { path },
      remedy:
        'Export an object with id, label, detect and open; a table or a folder needs no code, only a description.',
    });
  return [{ id: system.id, label: system.label, isInPlace: true, load: async () => system }];
}

const hasDefault = (value: unknown): value is { readonly default: unknown } =>
  typeof value === 'object' && value !== null && 'default' in value;

function isSystem(value: unknown): value is System {
  if (typeof value !== 'object' || value === null) return false;
  const { id, label, detect, open }: Partial<Record<keyof System, unknown>> = value;
  return (
    typeof id === 'string' && typeof label === 'string' && typeof detect === 'function' && typeof open === 'function'
  );
}
