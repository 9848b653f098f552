/**
 * Stands in for `react-style-singleton`, which the dialogs use to lock scrolling: it puts style elements into the page,
 * which our content policy forbids. Adopted style sheets do the same and are not text in the document.
 */
import { useEffect } from 'react';

export interface StyleSheetCounter {
  add(css: string): void;
  remove(): void;
}

/** One sheet for all who ask for it; it goes with the last. */
export function stylesheetSingleton(): StyleSheetCounter {
  let users = 0;
  let sheet: CSSStyleSheet | undefined;
  return {
    add(css) {
      users += 1;
      if (sheet) return;
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets.push(sheet);
    },
    remove() {
      users -= 1;
      if (users > 0 || !sheet) return;
      const gone = sheet;
      sheet = undefined;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== gone);
    },
  };
}

export function styleHookSingleton(): (styles: string, dynamic?: boolean) => void {
  const counter = stylesheetSingleton();
  return function useStyle(styles, dynamic) {
    const seen = dynamic ? styles : undefined;
    useEffect(() => {
      counter.add(styles);
      return () => counter.remove();
      // As the original: a change of styles counts only where it is said to be dynamic.
      // oxlint-disable-next-line react-hooks/exhaustive-deps
    }, [seen]);
  };
}

export function styleSingleton(): (props: { readonly styles: string; readonly dynamic?: boolean }) => null {
  const useStyle = styleHookSingleton();
  return function Sheet({ styles, dynamic }) {
    useStyle(styles, dynamic);
    return null;
  };
}
