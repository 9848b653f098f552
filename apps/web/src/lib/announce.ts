/** Words for screen readers that have no place on the screen: one polite region for the whole page. */
import { createSignal } from './signal.ts';

const said = createSignal({ text: '', turn: 0 });

/** Said once the reader is quiet; the same words twice are said twice. @example announce('This state has no chat.') */
export const announce = (text: string): void => said.set({ text, turn: said.get().turn + 1 });

export const useSaid = said.use;
