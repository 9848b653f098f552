import { saveFile } from '../lib/download.ts';
import { useState } from 'react';
import { findSecrets } from '@checkpoint-inspector/core';
import { showToast } from './Toaster.tsx';

const SECRET_WORDS = 'It holds a secret, copied as it is stored.';

/** For what says by itself that it was copied. */
export function sayIfSecret(text: string): void {
  if (findSecrets(text).length > 0) showToast({ title: 'On the clipboard.', detail: SECRET_WORDS });
}

/** Puts the text on the clipboard as it is stored, and says so. `what` begins a sentence: "The path". */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast({
      title: `${what} is on the clipboard.`,
      ...(findSecrets(text).length > 0 ? { detail: SECRET_WORDS } : {}),
    });
  } catch {
    showToast({ title: 'The browser does not allow copying here.' });
  }
}

/** Saves what `load` reads as a file; `failed` is said where it cannot be read. */
export function useDownload(load: () => Promise<Blob>, name: string, failed: string) {
  const [loading, setLoading] = useState(false);
  const save = (): void => {
    setLoading(true);
    load()
      .then(
        (blob) => saveFile(blob, name),
        (error: Error) => showToast({ title: failed, detail: error.message }),
      )
      .finally(() => setLoading(false));
  };
  return { loading, save };
}
