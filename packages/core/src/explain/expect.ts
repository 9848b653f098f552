import { InspectorError } from '../errors.ts';
import { formatPath, parsePath, type Path } from '../json/path.ts';
import { parseJson } from '../json/read.ts';

/** A value as it should be, as people write it. */
export interface Expectation {
  /** As `formatPath` writes it. */
  readonly path: string;
  /** JSON text, as given. */
  readonly value: string;
}

/**
 * `<path>=<json>`, where the path is `$.a.b`, `.a.b` or `a.b`. Its keys may be quoted, so the first "=" that leaves a
 * path before it divides.
 * @param name of the option, for the error
 * @throws InspectorError invalid_input
 * @example parseExpectation('revenue["North=1"]=122') // { path: '$.revenue["North=1"]', value: '122' }
 */
export function parseExpectation(text: string, name = 'expect'): Expectation {
  for (let at = text.indexOf('='); at !== -1; at = text.indexOf('=', at + 1)) {
    const path = pathIn(text.slice(0, at).trim());
    if (path === undefined) continue;
    const value = text.slice(at + 1).trim();
    assertJson(value, name);
    return { path: formatPath(path), value };
  }
  throw new InspectorError('invalid_input', `${name} must be <path>=<json>, not "${text}".`, {
    remedy: `Write it like ${name} '$.a.b=122'.`,
  });
}

function pathIn(text: string): Path | undefined {
  if (text === '') return undefined;
  const spellings = text.startsWith('$') ? [text, `$.${text}`] : [/^[.[]/.test(text) ? `$${text}` : `$.${text}`];
  for (const spelling of spellings) {
    try {
      return parsePath(spelling);
    } catch {
      // A key may begin with "$", or contain the "=".
    }
  }
  return undefined;
}

function assertJson(value: string, name: string): void {
  try {
    parseJson(value);
  } catch (cause) {
    throw new InspectorError('invalid_input', `The value of ${name} isn't valid JSON: ${value}`, {
      cause,
      remedy: `Write it like ${name} '$.a.b=122'; strings need double quotes: ${name} '$.name="value"'.`,
    });
  }
}
