import { saveFile } from '../lib/download.ts';
import { useState } from 'react';
import { findSecrets, MASK_DOTS } from '@checkpoint-inspector/core';
import { showToast } from './Toaster.tsx';

const SECRET_WORDS = 'It contains a secret, which was copied unmasked.';

/** For what says by itself that it was copied. */
export function sayIfSecret(text: string): void {
  if (findSecrets(text).length > 0) showToast({ title: 'On the clipboard.', detail: SECRET_WORDS });
}

/** False, and said, where the browser refuses, as it does on a page from another machine without https. */
export async function putOnClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    showToast({ title: "The browser doesn't allow copying here." });
    return false;
  }
}

/** Puts the text on the clipboard as stored, and reports it. `what` begins a sentence: "The path". */
export async function copyText(text: string, what: string): Promise<void> {
  if (!(await putOnClipboard(text))) return;
  showToast({
    title: `${what} is on the clipboard.`,
    ...(findSecrets(text).length > 0 ? { detail: SECRET_WORDS } : {}),
  });
}

/** Copies what is on the screen: a masked secret stays masked, and the message tells. */
export const copyShown = (text: string, what: string): Promise<void> =>
  copyText(text, text.includes(MASK_DOTS) ? `${what}, secrets masked,` : what);

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
