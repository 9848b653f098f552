import { findSecrets, maskSecrets } from '@checkpoint-inspector/core';
import { useSyncExternalStore } from 'react';
import { settings } from './settings.ts';

/** Secrets of known shapes are masked wherever stored text is shown, until they are revealed for this visit. */
let revealed = !settings().masked;
const listeners = new Set<() => void>();

/** Kept in memory only: a reload masks again, unless the settings say otherwise. */
export function setRevealed(next: boolean): void {
  revealed = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useRevealed = (): boolean => useSyncExternalStore(subscribe, () => revealed);

/** What stored text passes through on its way to the screen. */
export type Shown = (text: string) => string;

const asStored: Shown = (text) => text;

/** What stored text passes through on its way to the screen. Copying takes the text as it is stored. */
export const useShown = (): Shown => (useRevealed() ? asStored : maskSecrets);

/** The same outside of components, for messages that are made in passing. */
export const shownNow: Shown = (text) => (revealed ? text : maskSecrets(text));

/** True where a part of the text is hidden on the screen now. */
export const isMaskedNow = (text: string): boolean => !revealed && findSecrets(text).length > 0;
