/** Whether a failure that a state reports is one of the run, or of what the run is about: a grade, a claim, a server. */
import type { Path } from '../json/path.ts';
import { isForErrors, type StatedFailure } from './failure.ts';
import { kept, wordsOf } from './values.ts';

/** Names of what checks the work of a run. */
const CHECKING =
  /^(?:[a-z]*check(?:s|ed|er|list)?|preflight|tests?|testing|asserts?|assertions?|valid|validat(?:e|ed|ion|ions|or|ors)|verif(?:y|ied|ication|ications|ier)|verdicts?|gates?|gating|reviews?|reviewer|audits?|auditor|qa|qc|qs|ci|quality|clearance|evaluations?|evals?|acceptance|sign|signoff|signoffs|inspections?|conformance|compliance|reconciliations?|integrity|consistency|sanity|invariants?|constraints?|controls?|match|rules?|lint|smoke|[a-zäöüß]*(?:pruefung|prüfung|abnahme|freigabe|kontrolle)|contr[oô]les?|controllo|revisi[oó]n|valida[cç]i[oó]n|verifica[cç]i[oó]n)$/;

/** Names of what came of the run itself, and of what a state as a whole may be in. */
const OUTCOMES = new Set(
  [
    'result output outcome response final run job task workflow session agent values state data body channels context memory messages',
    'handover release closing delivery submission publication deployment launch health',
  ].flatMap((names) => names.split(' ')),
);

const isChecking = (name: string): boolean =>
  kept(checking, name, () => wordsOf(name).some((word) => CHECKING.test(word)));

const checking = new Map<string, boolean>();

/** Something that is called a check says so, or what came of the run; a field of anything else is about that. */
export function isOfRun({ kind, path }: StatedFailure): boolean {
  // The last of some lines, or a row of a table without names.
  if (kind !== 'error') return typeof path.at(-1) === 'number' || isOfRunAt(path);
  const errors = path.findIndex((step) => typeof step === 'string' && isForErrors(step));
  return isOfRunAt(errors < 0 ? path : path.slice(0, errors + 1));
}

function isOfRunAt(path: Path): boolean {
  const around = path.slice(0, -1).filter((step) => typeof step === 'string');
  const inner = around.at(-1);
  return inner === undefined || OUTCOMES.has(inner.toLowerCase()) || around.some(isChecking);
}

/** `last_error`: a run that went on for a while has it behind it. */
export const isEarlier = ({ kind, path }: StatedFailure): boolean =>
  kind === 'error' && path.some((step) => typeof step === 'string' && wordsOf(step).some((word) => EARLIER.has(word)));

const EARLIER = new Set(['last', 'previous', 'prior']);
