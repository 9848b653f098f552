import { maskSecrets } from '@checkpoint-inspector/core';

/** `--reveal`: secrets of known shapes are printed as they are stored. One choice for the whole run. */
let revealed = false;

export const reveal = (isRevealed: boolean): void => void (revealed = isRevealed);

/** Stored text as it may reach a terminal: no control sequences, and secrets masked unless `--reveal`. */
export function printable(text: string): string {
  return masked(text).replaceAll(/\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** For what is cut afterwards: half a secret has no shape. */
export const masked = (text: string): string => (revealed ? text : maskSecrets(text));
