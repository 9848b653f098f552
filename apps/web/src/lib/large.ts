/** How large a state may be to be read as a whole into the page. Bytes are those of the stored row or file. */
import type { CheckpointMeta } from '@checkpoint-inspector/core';

/** Larger states are read part by part; the server reads them off its event loop. */
export const LARGE_BYTES = 8_000_000;
/** Larger states are not even opened part by part unless the reader says so. */
export const HUGE_BYTES = 50_000_000;

export const isLarge = (meta: Pick<CheckpointMeta, 'sizeBytes'>): boolean => meta.sizeBytes > LARGE_BYTES;
export const isHuge = (meta: Pick<CheckpointMeta, 'sizeBytes'>): boolean => meta.sizeBytes > HUGE_BYTES;
