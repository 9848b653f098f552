import { useState } from 'react';

const KEY = 'checkpoint-inspector.author';

/** Who edits: kept in this browser, so that it is typed once. */
export function useAuthor(): readonly [string, (author: string) => void] {
  const [author, setAuthor] = useState(() => {
    try {
      return localStorage.getItem(KEY) ?? '';
    } catch {
      return '';
    }
  });
  const keep = (next: string): void => {
    setAuthor(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Holds until the page is closed.
    }
  };
  return [author, keep];
}
