/** What the shell hands to the tree: places come from the URL and go back to it. */
export interface TreeRouteProps {
  /** Store id. */
  readonly store: string;
  /** Task id, as the system spells it. */
  readonly task: string;
  /** The selected checkpoint, as `focusKey` writes it. Absent: the latest. */
  readonly focus?: string | undefined;
  /** Ids of the opened chains. */
  readonly expand?: readonly string[] | undefined;
  readonly onFocus: (focus: string | undefined) => void;
  readonly onExpand: (expand: readonly string[]) => void;
}

/** A checkpoint as one URL value: its id, with the namespace before it where there is one. */
export function focusKey(ref: { readonly id: string; readonly namespace?: string | undefined }): string {
  return ref.namespace
    ? `${encodeURIComponent(ref.namespace)}/${encodeURIComponent(ref.id)}`
    : encodeURIComponent(ref.id);
}

/** What a URL value names: as `focusKey` writes it, or a bare id. */
export function parseFocus(focus: string): { readonly id: string; readonly namespace?: string } {
  const [first = '', second] = focus.split('/').map(decodeOr);
  return second === undefined ? { id: first } : { id: second, namespace: first };
}

/** Whether a URL value names this checkpoint. Read once, asked for many. */
export function focusMatcher(
  focus: string,
): (ref: { readonly id: string; readonly namespace?: string | undefined }) => boolean {
  const wanted = parseFocus(focus);
  return (ref) =>
    ref.id === focus ||
    (ref.id === wanted.id && (wanted.namespace === undefined || ref.namespace === wanted.namespace));
}

function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
