import type { SearchFilter, SearchNameFilter } from '../query/types.ts';
import { fold } from '../cache/fold.ts';

/** A condition on `documents d`, with the values for its question marks. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** What the filters ask of a document. Of several by one name one is enough; sizes and times must all hold. */
export function conditionOf(filters: readonly SearchFilter[]): Condition {
  const groups = new Map<string, Condition[]>();
  const parts: Condition[] = [];
  for (const filter of filters) {
    const part = single(filter);
    if (part === undefined) continue;
    if (filter.not) parts.push({ sql: `NOT (${part.sql})`, values: part.values });
    else if (filter.by === 'status' || filter.by === 'trigger' || filter.by === 'agent')
      groups.set(filter.by, [...(groups.get(filter.by) ?? []), part]);
    else parts.push(part);
  }
  const all = [...groups.values()].map((group) => join(group, ' OR '));
  return join([...all, ...parts], ' AND ');
}

function join(parts: readonly Condition[], word: string): Condition {
  if (parts.length === 0) return { sql: '1', values: [] };
  return { sql: `(${parts.map(({ sql }) => sql).join(word)})`, values: parts.flatMap(({ values }) => values) };
}

/** Nothing for what is not a matter of a single document. */
function single(filter: SearchFilter): Condition | undefined {
  switch (filter.by) {
    case 'status':
      return { sql: 'd.status = ?', values: [filter.status] };
    case 'trigger':
      return { sql: "ifnull(d.save_trigger, '') = ?", values: [filter.trigger] };
    case 'agent':
      return { sql: filter.exact ? 'd.agent = ?' : 'instr(d.agent, ?) > 0', values: [fold(filter.text)] };
    case 'larger':
      return { sql: 'd.size > ?', values: [filter.bytes] };
    case 'smaller':
      return { sql: 'd.size < ?', values: [filter.bytes] };
    case 'before':
      return { sql: 'd.time_ms < ?', values: [Date.parse(filter.time)] };
    case 'after':
      return { sql: 'd.time_ms >= ?', values: [Date.parse(filter.time)] };
    default:
      return undefined;
  }
}

/**
 * Whether something passes the filters of one kind by any of its names: a part of a name is enough, unless a filter
 * says it whole.
 * @example nameFilter([{ by: 'task', text: 'run' }], 'task')('run-1') // true
 */
export function nameFilter(
  filters: readonly SearchFilter[],
  by: SearchNameFilter['by'],
): (...names: readonly string[]) => boolean {
  const named = filters.filter((filter): filter is SearchNameFilter => filter.by === by);
  const wanted = named.filter(({ not }) => !not);
  const unwanted = named.filter(({ not }) => not);
  const holds = (names: readonly string[], { text, exact }: SearchNameFilter): boolean =>
    names.some((name) => (exact ? name === text : fold(name).includes(fold(text))));
  return (...names) =>
    (wanted.length === 0 || wanted.some((filter) => holds(names, filter))) &&
    !unwanted.some((filter) => holds(names, filter));
}
