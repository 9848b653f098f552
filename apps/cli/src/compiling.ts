import { setFlagsFromString } from 'node:v8';

export const FLAG = '--max-inlined-bytecode-size-cumulative';

/**
 * V8 copies into a busy function what it calls, by default more than four times as much. Where a lot of code is busy for
 * a short time, as in the first explanations, compiling these copies costs more than they save.
 */
export const compileLess = (): void => setFlagsFromString(`${FLAG}=200`);
