export { heldIn } from './held.ts';
export type { HeldLimits, HeldMetrics } from './held.ts';
export { measured } from './measured.ts';
export { createMeter } from './meter.ts';
export type { Meter, Operation, ServerMetrics, Timing } from './meter.ts';
