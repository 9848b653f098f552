import { useEffect } from 'react';

/** Ctrl+Enter confirms wherever the focus is in the dialog; no other key does. */
export function useConfirmKeys(confirm: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || event.repeat || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      confirm();
    };
    document.addEventListener('keydown', listen, true);
    return () => document.removeEventListener('keydown', listen, true);
  }, [confirm]);
}
