import { findSecrets, maskSecrets, readableJson, readableText, type StoreInfo } from '@checkpoint-inspector/core';
import { settings } from './settings.ts';
import { createSignal } from './signal.ts';

/** What was chosen in this visit: kept in memory only, so that a reload begins again. */
const chosen = createSignal<boolean | undefined>(undefined);
/** False while a store with a person's private work is open, and until the stores are known. */
const mayBeginRevealed = createSignal(false);

export const setRevealed = (revealed: boolean | undefined): void => chosen.set(revealed);

/** A visit begins revealed where the settings say so and none of the stores is private. */
export const noteStores = (stores: readonly Pick<StoreInfo, 'private'>[] | undefined): void =>
  mayBeginRevealed.set(stores !== undefined && !stores.some((store) => store.private));

const isRevealed = (): boolean => chosen.get() ?? (mayBeginRevealed.get() && !settings().masked);

/** Secrets of known shapes are masked wherever stored text is shown, until they are revealed for this visit. */
export function useRevealed(): boolean {
  chosen.use();
  mayBeginRevealed.use();
  return isRevealed();
}

/** What stored text passes through on its way to the screen. */
export type Shown = (text: string) => string;

// What a screen would hide or reorder is an escape before it is masked: no sign between its letters hides a secret.
const plain: Shown = readableText;
const masked: Shown = (text) => maskSecrets(readableText(text));

/** What stored text passes through on its way to the screen. Copying takes the text as stored. */
export const useShown = (): Shown => (useRevealed() ? plain : masked);

/** The same outside of components, for messages that are made in passing. */
export const shownNow: Shown = (text) => (isRevealed() ? plain(text) : masked(text));

const stored = createSignal(false);

/** True while JSON is shown with its escapes as stored. */
export const useAsStored = stored.use;
export const setAsStored = stored.set;

const maskedJson: Shown = (text) => maskSecrets(readableJson(text));

/** JSON text with its escapes as stored, whatever the switch says. */
export const useShownStored = useShown;

/** The same for JSON text: its escapes are letters, unless they are asked for as stored. */
export function useShownJson(): Shown {
  const isStored = useAsStored();
  if (useRevealed()) return isStored ? plain : readableJson;
  return isStored ? masked : maskedJson;
}

/** True where a part of the text is hidden on the screen now, whether it is plain or JSON. */
export const isMaskedNow = (text: string): boolean =>
  !isRevealed() && (findSecrets(text).length > 0 || findSecrets(readableJson(text)).length > 0);
