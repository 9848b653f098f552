import { saveFile } from '../lib/download.ts';
import { useState } from 'react';
import { MASK_DOTS } from '@checkpoint-inspector/core';
import { secretsIn } from '../lib/masker.ts';
import { copiedNow } from '../lib/masking.ts';
import { showToast } from './Toaster.tsx';

/** What there is to say of secrets in what was copied. */
function secretWords(text: string, path?: string): { readonly detail?: string } {
  if (copiedNow(text, path) !== text) return { detail: 'Secrets in it are masked. Reveal them to copy it as stored.' };
  return secretsIn(text).length > 0 ? { detail: 'It contains a secret, which was copied unmasked.' } : {};
}

/** For what says by itself that it was copied. */
export function sayIfSecret(text: string): void {
  const words = secretWords(text);
  if (words.detail !== undefined) showToast({ title: 'On the clipboard.', ...words });
}

/** What is masked on the screen is masked on the clipboard. False, and said, where the browser refuses, as it does on a page from another machine without https. */
export async function putOnClipboard(text: string, path?: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(copiedNow(text, path));
    return true;
  } catch {
    showToast({ title: "The browser doesn't allow copying here." });
    return false;
  }
}

/** Puts the text on the clipboard, and reports it. `what` begins a sentence: "The path". @param path of a value */
export async function copyText(text: string, what: string, path?: string): Promise<void> {
  if (!(await putOnClipboard(text, path))) return;
  showToast({
    title: `${what} is on the clipboard.`,
    ...secretWords(text, path),
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
