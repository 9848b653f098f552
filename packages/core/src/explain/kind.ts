/** What kind of failure an error is, by its words. */
import type { ChatCall } from '../chat/parts.ts';
import type { FailureKind } from './types.ts';

const OUTSIDE = [
  /\btime[d]?[ -]?out\b|\bETIMEDOUT\b|\bdeadline exceeded\b|\bTimeoutError\b/i,
  /\bECONN(?:REFUSED|RESET|ABORTED)\b|\bENOTFOUND\b|\bEAI_AGAIN\b|\bEPIPE\b|\bsocket hang up\b|\bfetch failed\b/i,
  /\bconnection (?:refused|reset|closed|aborted|error|failed)\b|\bclosed the connection\b|\bnetwork (?:error|is unreachable)\b|\bAPIConnectionError\b/i,
  /\brate.?limit|\btoo many requests\b|\bquota\b|\bbilling\b|\binsufficient (?:credit|funds|balance)\b|\bcredit balance\b/i,
  /\boverloaded\b|\bservice (?:is )?(?:temporarily )?unavailable\b|\bbad gateway\b|\bgateway time|\binternal server error\b|\bat capacity\b|\bhigh demand\b/i,
  /\b(?:HTTP|status(?: code)?|error(?: code)?)[ :=]*(?:40[1378]|429|5\d\d)\b|\b(?:429|50[0234]|529)\b[ :-]+[A-Z]/,
  /\bcertificate\b|\bself.signed\b|\bSSL\b|\bTLS\b/i,
  /\b(?:invalid|incorrect|missing|expired) (?:api|access) ?(?:key|token)\b|\bunauthori[sz]ed\b|\bpermission_error\b/i,
  /unexpected token '?<|<!doctype html|<html\b|\bHTML instead of\b|\breturned (?:an )?HTML\b/i,
  /\bAPI(?:Status)?Error\b/,
  /\bno space left\b|\bENOSPC\b|\bEMFILE\b|\bout of memory\b|\bdisk (?:is )?full\b/i,
];

const GAVE_UP =
  /\brecursion.?(?:limit|error)\b|\bmax(?:imum)?[ _-]?(?:number of )?(?:turns?|steps?|iterations?|rounds?|retries|attempts|loops?)\b|\b(?:turn|step|iteration|retry|loop)[ _-]limit\b|\b(?:ran|run) out of (?:turns|steps|attempts)\b|\bgave up\b|\bloop detected\b|\bstuck in a loop\b|\btoo many (?:steps|turns|iterations|retries|attempts)\b/i;

/** @example kindOf('Recursion limit of 25 reached') // 'gave_up' */
export function kindOf(error: string): Extract<FailureKind, 'outside' | 'gave_up' | 'threw'> {
  if (GAVE_UP.test(error)) return 'gave_up';
  return OUTSIDE.some((words) => words.test(error)) ? 'outside' : 'threw';
}

/** Fewer equal calls in a row may be on purpose. */
const MIN_REPEATS = 3;

/** The call at the end of a conversation that was made again and again. @param calls in their order */
export function repeatedCall(
  calls: readonly ChatCall[],
): { readonly call: string; readonly args: string; readonly times: number } | undefined {
  const last = calls.at(-1);
  if (last === undefined) return undefined;
  const other = calls.findLastIndex(({ name, args }) => name !== last.name || args !== last.args);
  const times = calls.length - 1 - other;
  return times < MIN_REPEATS ? undefined : { call: last.name, args: last.args, times };
}
