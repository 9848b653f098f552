/** From where on a state is large, in one place. Bytes are those of the stored row or file. */

/** Larger states are read and scanned off the event loop. */
export const LARGE_BYTES = 8_000_000;
/** Larger states are not compared as a whole. */
export const DIFF_BYTES = 64_000_000;
/** A list of differences may not be longer than this as JSON. */
export const DIFF_ANSWER_BYTES = 16_000_000;
/** States that are together larger than this are compared off the event loop: with many changes each MB takes 50 ms. */
export const COMPARED_BYTES = 1_000_000;
/** A larger state is copied or edited off the event loop: it is read, checked and written again. */
export const COPIED_BYTES = 1_000_000;
/** Decoded bytes of one value that may be downloaded. */
export const BLOB_BYTES = 128_000_000;
/** Characters of texts kept for the next question; one text is always kept. */
export const KEPT_CHARACTERS = 160_000_000;
/** Characters in one piece of a stream. */
export const PIECE = 1 << 20;
/** A question that takes longer is cancelled, and its thread with it. */
export const TIME_LIMIT_MS = 30_000;
/** So long for all states of a branch. */
export const EXAMINED_MS = 10 * 60_000;
/** A search answers with what it has by then. */
export const FIND_MS = 1_500;
/** A search lets other questions in between slices of this length. */
export const SLICE_MS = 25;
/** Without questions the thread ends, and its memory is given back. */
export const IDLE_MS = 60_000;
/** Most memory for JavaScript values in the thread. */
export const HEAP_MB = 2_048;
