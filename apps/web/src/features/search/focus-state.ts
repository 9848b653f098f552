const PATIENCE_MS = 5_000;

/** Puts the focus on the tree of the state once it is drawn, unless the reader is somewhere else by then. */
export function focusStateTree(): void {
  const find = (): boolean => {
    const tree = document.querySelector<HTMLElement>('[data-testid="state-tree"]');
    if (tree === null) return false;
    if (document.activeElement === document.body || document.activeElement === null) tree.focus();
    return true;
  };
  if (find()) return;
  const seen = new MutationObserver(() => find() && seen.disconnect());
  seen.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => seen.disconnect(), PATIENCE_MS);
}
