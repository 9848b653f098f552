import { parsePath, type Path } from '../../json/path.ts';
import type { PlantedCase } from './types.ts';

/** How far above the culprit an answer may point. */
const LEVELS_ABOVE = 2;

/**
 * Whether an answer names the culprit: its checkpoint, and its path, one below it, or one at most two levels above
 * that is not the whole state.
 */
export function isHit(answer: { readonly id: string; readonly path: string }, planted: PlantedCase): boolean {
  const said = parsePath(answer.path);
  return planted.culprits.some(({ checkpoint, path }) => answer.id === checkpoint && isNear(said, parsePath(path)));
}

function isNear(said: Path, culprit: Path): boolean {
  if (said.length === 0) return false;
  if (said.length < culprit.length - LEVELS_ABOVE) return false;
  const shared = Math.min(said.length, culprit.length);
  return said.slice(0, shared).every((step, at) => step === culprit[at]);
}
