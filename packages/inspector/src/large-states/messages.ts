/** What passes between the server and the thread that reads big states. */
import type { WireError } from '@checkpoint-inspector/core';
import type { QuestionName, Questions } from './types.ts';
import type { StoreOrigin } from '../stores/types.ts';

export type ToWorker =
  | {
      readonly kind: 'ask';
      readonly id: number;
      readonly name: QuestionName;
      readonly input: Questions[QuestionName]['in'];
      readonly origins: readonly StoreOrigin[];
    }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'forget'; readonly store: string };

export type FromWorker =
  | { readonly id: number; readonly output: Questions[QuestionName]['out'] }
  | { readonly id: number; readonly error: WireError['error'] };

/** Buffers that are handed over instead of copied. */
export function transferOf(output: Questions[QuestionName]['out']): ArrayBuffer[] {
  return 'bytes' in output && output.bytes instanceof Uint8Array ? [output.bytes.buffer] : [];
}
