/** `checkpoint-inspector`: all of `checkpoint-inspector/core`, with managers that save to a `storagePath`. */
export * from '../public.ts';
export { CheckpointManager, createCheckpointManager } from './stores/manager.ts';
