import { besideAt } from '@checkpoint-inspector/api';
import { InspectorError, diffJson } from '@checkpoint-inspector/core';
import type { Difference, StepError } from '@checkpoint-inspector/core';
import { print, printable } from '../output.ts';
import { resolveCheckpoint } from '../resolve.ts';
import type { Found, Narrow } from '../resolve.ts';
import type { Run } from '../session.ts';
import { errorWords } from './beside.ts';

export interface DiffOptions extends Narrow {
  readonly all?: boolean;
  readonly ignore?: readonly string[];
}

const GLYPHS: Record<Difference['kind'], string> = {
  added: '+',
  removed: '-',
  changed: '~',
  moved: '↕',
  'type-changed': '⇄',
};

/** `diff <a> <b>`: what changed from a to b. Volatile paths are ignored unless `--all`. */
export async function diff({ session, output }: Run, a: string, b: string, options: DiffOptions): Promise<void> {
  const [before, after] = [await resolveCheckpoint(session, a, options), await resolveCheckpoint(session, b, options)];
  const ignore = options.all ? [] : (options.ignore ?? after.source.info.volatilePaths);
  const found = diffJson(await textOf(before), await textOf(after), { ignore });
  const { added, removed, changed, moved } = found.summary;
  const errors = { ...(await errorsOf('a', before)), ...(await errorsOf('b', after)) };
  const failed = Object.keys(errors).length === 0 ? {} : { errors };
  print(output, { ...found, ignoreRules: ignore, ...failed }, () => [
    ...Object.entries(errors).flatMap(([side, all]) => all.map((error) => `${side} failed: ${errorWords(error)}`)),
    `+${added} -${removed} ~${changed} ↕${moved}`,
    ...found.items.map(line),
    ...found.ignored.filter(({ count }) => count > 0).map(({ rule, count }) => `ignored by ${rule}: ${count}`),
  ]);
}

/** A step that failed need not have changed the state: its error tells what happened. */
async function errorsOf(side: 'a' | 'b', { source, ref }: Found): Promise<Record<string, readonly StepError[]>> {
  const { errors } = await besideAt(source, ref);
  return errors === undefined ? {} : { [side]: errors };
}

async function textOf({ source, ref }: Found): Promise<string> {
  const state = await source.state(ref);
  if (!state)
    throw new InspectorError('not_found', `Checkpoint "${ref.id}" is not in the store any more.`, {
      data: { id: ref.id },
    });
  return state.text;
}

/** One difference as one line of text. */
export function line({ kind, path, before, after, from }: Difference): string {
  const what = {
    added: after,
    removed: before,
    changed: `${before} → ${after}`,
    moved: `from ${from}`,
    'type-changed': `${before} → ${after}`,
  };
  return printable(`${GLYPHS[kind]} ${path}  ${what[kind] ?? ''}`);
}
