/** A value, as far as it matters whether it is a column. */
interface Value {
  readonly kind: string;
  readonly members?: readonly Member[];
  readonly isMap?: boolean;
  /** It is a field of the entries that its keys name. */
  isColumn?: boolean;
}

interface Member {
  readonly key: string;
  readonly value: Value;
}

const FEWEST = 3;

/** Maps beside each other in which the same names have values: `{ "price": { "A-1": 7 }, "unit": { "A-1": "kg" } }`. */
export function markColumns(beside: readonly Member[]): void {
  let largest: Value | undefined;
  let most = FEWEST - 1;
  let count = 0;
  for (const { value } of beside) {
    if (!isPlainMap(value)) continue;
    count += 1;
    const { length } = value.members ?? [];
    if (length > most) [largest, most] = [value, length];
  }
  if (count < 2 || largest === undefined || (largest.isMap !== true && !areOfOneKind(beside))) return;
  const keys = new Set(largest.members?.map(({ key }) => key));
  const columns = beside.filter(
    ({ value: { members = [] } }) => members.length > 0 && members.every(({ key }) => keys.has(key)),
  );
  if (columns.filter(({ value }) => isPlainMap(value)).length < 2) return;
  // Of the same entries some fields may be lists.
  for (const { value } of columns) value.isColumn = true;
}

const isPlainMap = ({ members = [] }: Value): boolean =>
  members.length > 0 && members.every(({ value: { kind } }) => kind !== 'object' && kind !== 'array');

/** Each holds values of one kind, and not all the same: the fields of an entry would be of several. */
function areOfOneKind(maps: readonly Member[]): boolean {
  const found = new Set<string>();
  for (const { value } of maps) {
    if (!isPlainMap(value)) continue;
    const kinds = new Set(value.members?.map((member) => member.value.kind));
    kinds.delete('null');
    kinds.delete('empty');
    if (kinds.size > 1) return false;
    for (const kind of kinds) found.add(kind);
  }
  return found.size > 1;
}
