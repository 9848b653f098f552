import { readableJson, readableText, type StoreInfo } from '@checkpoint-inspector/core';
import { maskedAt, maskedText, maskWith, type Masking, secretsIn } from './masker.ts';
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

/** What stored text passes through on its way to the screen; a value of a state with the path that it is at. */
export type Shown = (text: string, path?: string) => string;

// What a screen would hide or reorder is an escape before it is masked: no sign between its letters hides a secret.
const plain: Shown = (text) => readableText(text);
const plainJson: Shown = (text) => readableJson(text);
const named: Shown = (text, path) => (path === undefined ? text : maskedAt(path, text));
const masked: Shown = (text, path) => maskedText(readableText(named(text, path)));
const maskedJson: Shown = (text, path) => maskedText(readableJson(named(text, path)));

/** Others once the server's key and rules are here, so that what is on the screen is drawn again. */
const ways = createSignal({ masking: undefined as Masking | undefined, masked, maskedJson });

export function setMasking(masking: Masking): void {
  maskWith(masking);
  ways.set({
    masking,
    masked: (...given) => masked(...given),
    maskedJson: (...given) => maskedJson(...given),
  });
}

/** For a worker, which has a memory of its own. */
export const useMasking = (): Masking | undefined => ways.use().masking;

/** What stored text passes through on its way to the screen. */
export function useShown(): Shown {
  const way = ways.use();
  return useRevealed() ? plain : way.masked;
}

/** The same outside of components, for messages that are made in passing. */
export const shownNow: Shown = (text, path) => (isRevealed() ? plain(text) : masked(text, path));

/** What is copied: as stored, but for what is masked on the screen too. */
export const copiedNow: Shown = (text, path) => (isRevealed() ? text : maskedText(named(text, path)));

const stored = createSignal(false);

/** True while JSON is shown with its escapes as stored. */
export const useAsStored = stored.use;
export const setAsStored = stored.set;

/** JSON text with its escapes as stored, whatever the switch says. */
export const useShownStored = useShown;

/** The same for JSON text: its escapes are letters, unless they are asked for as stored. */
export function useShownJson(): Shown {
  const isStored = useAsStored();
  const way = ways.use();
  if (useRevealed()) return isStored ? plain : plainJson;
  return isStored ? way.masked : way.maskedJson;
}

/** True where the text has a secret, plain or as JSON, revealed or not. */
export const isSecret = (text: string, path?: string): boolean =>
  named(text, path) !== text || secretsIn(text).length > 0 || secretsIn(readableJson(text)).length > 0;

/** True where a part of the text is hidden on the screen now. */
export const isMaskedNow = (text: string, path?: string): boolean => !isRevealed() && isSecret(text, path);
