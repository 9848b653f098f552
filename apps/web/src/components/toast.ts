import type { ReactNode } from 'react';
import { createSignal } from '../lib/signal.ts';

/** One message at the foot of the page; only the newest is on the screen. */
export interface Message {
  readonly render: (close: () => void) => ReactNode;
  readonly durationMs: number;
}

const message = createSignal<Message | undefined>(undefined);

export const showMessage = message.set;
export const useMessage = message.use;
