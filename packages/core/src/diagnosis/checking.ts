import { kept, wordsOf } from './values.ts';

/** Names of what checks the work of a run. */
const CHECKING =
  /^(?:[a-z]*check(?:s|ed|er|list)?|preflight|tests?|testing|asserts?|assertions?|valid|validat(?:e|ed|ion|ions|or|ors)|verif(?:y|ied|ication|ications|ier)|verdicts?|gates?|gating|reviews?|reviewer|audits?|auditor|qa|qc|qs|ci|quality|clearance|evaluations?|evals?|acceptance|sign|signoff|signoffs|inspections?|conformance|compliance|reconciliations?|integrity|consistency|sanity|invariants?|constraints?|controls?|match|rules?|lint|smoke|[a-zäöüß]*(?:pruefung|prüfung|abnahme|freigabe|kontrolle)|contr[oô]les?|controllo|revisi[oó]n|valida[cç]i[oó]n|verifica[cç]i[oó]n)$/;

/** Whether a name is that of a check, of a test, a review or the like. @example isChecking('postcheck') // true */
export const isChecking = (name: string): boolean =>
  kept(checking, name, () => wordsOf(name).some((word) => CHECKING.test(word)));

const checking = new Map<string, boolean>();
