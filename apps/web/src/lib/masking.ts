import { findSecrets, maskSecrets } from '@checkpoint-inspector/core';
import { settings } from './settings.ts';
import { createSignal } from './signal.ts';

/** Secrets of known shapes are masked wherever stored text is shown, until they are revealed for this visit. */
const revealed = createSignal(!settings().masked);

/** Kept in memory only: a reload masks again, unless the settings say otherwise. */
export const setRevealed = revealed.set;

export const useRevealed = revealed.use;

/** What stored text passes through on its way to the screen. */
export type Shown = (text: string) => string;

const asStored: Shown = (text) => text;

/** What stored text passes through on its way to the screen. Copying takes the text as it is stored. */
export const useShown = (): Shown => (useRevealed() ? asStored : maskSecrets);

/** The same outside of components, for messages that are made in passing. */
export const shownNow: Shown = (text) => (revealed.get() ? text : maskSecrets(text));

/** True where a part of the text is hidden on the screen now. */
export const isMaskedNow = (text: string): boolean => !revealed.get() && findSecrets(text).length > 0;
