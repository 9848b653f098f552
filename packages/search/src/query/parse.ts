import type { CheckpointStatus, Trigger } from '@checkpoint-inspector/core';
import { TOKEN_NAMES, meantName, tokensOf, type Token } from './tokens.ts';
import type { ParsedQuery, QueryProblem, SearchFilter, SearchTerm } from './types.ts';

const STATUSES: readonly CheckpointStatus[] = ['running', 'completed', 'failed', 'interrupted', 'pending', 'unknown'];
const TRIGGERS: readonly Trigger[] = ['auto', 'manual', 'error', 'input', 'update', 'fork', 'restore', 'edit'];
const SIZE = /^([<>])=?(\d+(?:\.\d+)?)([A-Za-z]*)$/;
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
};

type Read = { readonly term: SearchTerm } | { readonly filter: SearchFilter } | { readonly problem: string };

/** Reads what somebody typed into a search field. What cannot be read comes back as problems, never as an exception. */
export function parseQuery(text: string): ParsedQuery {
  const terms: SearchTerm[] = [];
  const filters: SearchFilter[] = [];
  const problems: QueryProblem[] = [];
  for (const token of tokensOf(text)) {
    if (token.text === '' && token.name === undefined) continue;
    const read = readToken(token);
    if ('term' in read) terms.push(read.term);
    else if ('filter' in read) filters.push(read.filter);
    else problems.push({ start: token.start, end: token.end, message: read.problem });
  }
  const excluded = terms.length > 0 && terms.every((term) => term.not);
  if (excluded && problems.length === 0)
    problems.push({
      start: 0,
      end: text.length,
      message: "A search can't only exclude words. Add one to look for.",
    });
  return { query: { terms, filters }, problems };
}

function readToken(token: Token): Read {
  const { name, text, quoted } = token;
  const not = token.not ? ({ not: true } as const) : {};
  if (name === undefined) return quoted ? { term: { text, ...not } } : (readSize(token) ?? { term: { text, ...not } });
  const known = TOKEN_NAMES.find((one) => one === name.toLowerCase());
  if (known !== undefined) return readNamed(known, token);
  // `Error:` at the end of a word, 12:30 and https://… are text, not paths.
  if ((text === '' && !quoted) || /^\d+$/.test(name) || text.startsWith('//'))
    return { term: { text: `${name}:${text}`, ...not } };
  const meant = meantName(name);
  if (meant !== undefined) return { problem: unknownName(name, meant) };
  return { term: { path: name, text, ...(quoted ? { exact: true } : {}), ...not } };
}

function unknownName(name: string, meant: string): string {
  const known = TOKEN_NAMES.map((one) => `${one}:`).join(', ');
  return `Unknown search term "${name}:"; did you mean "${meant}:"? Known are ${known}. For a key of that name write ".${name}:".`;
}

function readSize({ text, not }: Token): Read | undefined {
  const [, sign, number, unit] = SIZE.exec(text) ?? [];
  if (sign === undefined || number === undefined || unit === undefined) return undefined;
  const factor = UNITS[unit.toLowerCase()];
  if (factor === undefined) return { problem: `"${text}" isn't a size. Use B, kB, MB or GB, as in >10MB.` };
  const by = sign === '>' ? 'larger' : 'smaller';
  return { filter: { by, bytes: Math.round(Number(number) * factor), ...(not ? { not } : {}) } };
}

function readNamed(name: (typeof TOKEN_NAMES)[number], token: Token): Read {
  const { text, quoted } = token;
  const not = token.not ? ({ not: true } as const) : {};
  if (text === '' && !quoted) return { problem: `"${name}:" needs a value.` };
  if (name === 'status') {
    const status = STATUSES.find((one) => one === text.toLowerCase());
    return status ? { filter: { by: name, status, ...not } } : { problem: notOneOf(text, 'status', STATUSES) };
  }
  if (name === 'trigger') {
    const trigger = TRIGGERS.find((one) => one === text.toLowerCase());
    return trigger ? { filter: { by: name, trigger, ...not } } : { problem: notOneOf(text, 'trigger', TRIGGERS) };
  }
  if (name === 'before' || name === 'after') {
    const time = readTime(text);
    if (time === undefined)
      return { problem: `"${text}" isn't a date. Write ${name}:2026-01-31 or ${name}:2026-01-31T12:00Z.` };
    return { filter: { by: name, time, ...not } };
  }
  return { filter: { by: name, text, ...(quoted ? { exact: true } : {}), ...not } };
}

function notOneOf(text: string, what: string, known: readonly string[]): string {
  return `"${text}" isn't a ${what}. Known values are ${known.join(', ')}.`;
}

/** ISO 8601; without a zone it is UTC. */
function readTime(text: string): string | undefined {
  if (!/^\d{4}-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?$/i.test(text))
    return undefined;
  const zoned = text.includes('T') && !/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? `${text}Z` : text;
  const time = new Date(zoned);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
