/** `checkpoint-inspector/inspect`: the page over a store of this process. */
export { inspect } from '@checkpoint-inspector/api/inspect';
export type { Inspection, InspectOptions } from '@checkpoint-inspector/api/inspect';
