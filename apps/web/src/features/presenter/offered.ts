import { readStored } from '../../lib/signal.ts';

export const SHOWN_AROUND = 'checkpoint-inspector.shown-around';

/** Not taken and not put away. */
export const isOffered = (): boolean => readStored(SHOWN_AROUND) === null;
