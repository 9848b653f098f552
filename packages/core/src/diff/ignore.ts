import { InspectorError } from '../errors.ts';
import { ANY, BELOW, parseSteps, type Path, type PathStep } from '../json/path.ts';

/** Ignore rules, compiled; counts what they hide. */
export class IgnoreRules {
  readonly #rules: readonly { readonly rule: string; readonly steps: readonly PathStep[] }[];
  readonly #counts: number[];

  /** @throws InspectorError invalid_input for a rule that is not a path, or a path in place of the list */
  constructor(rules: readonly string[]) {
    if (!Array.isArray(rules)) throw new InspectorError('invalid_input', 'ignore must be a list of paths.');
    this.#rules = rules.map((rule) => ({ rule, steps: parseSteps(rule) }));
    this.#counts = rules.map(() => 0);
  }

  /** Whether a rule hides a difference at this path; the first one counts it. */
  hides(path: Path): boolean {
    const hit = this.#rules.findIndex(({ steps }) => matches(steps, path));
    if (hit >= 0) this.#counts[hit] = (this.#counts[hit] ?? 0) + 1;
    return hit >= 0;
  }

  /** As `hides`, without counting. */
  covers(path: Path): boolean {
    return this.#rules.some(({ steps }) => matches(steps, path));
  }

  counts(): { rule: string; count: number }[] {
    return this.#rules.map(({ rule }, index) => ({ rule, count: this.#counts[index] ?? 0 }));
  }
}

function matches(steps: readonly PathStep[], path: Path): boolean {
  const isOpen = steps.at(-1) === BELOW;
  const fixed = isOpen ? steps.length - 1 : steps.length;
  if (isOpen ? path.length <= fixed : path.length !== fixed) return false;
  for (let i = 0; i < fixed; i++) {
    if (!matchesStep(steps[i], path[i])) return false;
  }
  return true;
}

/** `*` is any one key or index; a key that ends with `*`, as in `$["branch:*"]`, is any key that begins so. */
function matchesStep(rule: PathStep | undefined, step: PathStep | undefined): boolean {
  if (rule === ANY || rule === step) return true;
  if (typeof rule !== 'string' || typeof step !== 'string' || rule.length < 2) return false;
  return rule.endsWith('*') && step.startsWith(rule.slice(0, -1));
}
