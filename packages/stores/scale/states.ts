/** Two states of an agent that differ in a few places. */
import { rngOf } from '@checkpoint-inspector/core/testing';

/** A conversation of about so many bytes beside a plan, a memory and counters. */
export function stateOf(seed: number, bytes: number) {
  const rng = rngOf('diff scale', seed);
  const word = () => rng.int(0, 36 ** 6).toString(36);
  const messages: { id: string; role: string; content: string }[] = [];
  for (let left = bytes; left > 0;) {
    const content = Array.from({ length: rng.int(70, 600) }, word).join(' ');
    messages.push({ id: `m${messages.length}`, role: 'tool', content });
    left -= content.length + 50;
  }
  return {
    counters: { steps: 1, tokens: 1_000 },
    plan: Array.from({ length: 40 }, (_, n) => ({ step: `${n} ${word()}`, done: false })),
    memory: Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`key ${n}`, word().repeat(5)])),
    messages,
  };
}

export type State = ReturnType<typeof stateOf>;

/** Seven small changes, one of them a message at the end. */
export const few = (state: State): State => ({
  counters: { steps: 2, tokens: 1_400 },
  plan: state.plan.map((one, at) => (at === 7 ? { ...one, done: true } : one)),
  memory: { ...state.memory, 'key 5': 'other', 'key 90': 'other', new: 'more' },
  messages: [...state.messages, { id: 'new', role: 'user', content: 'What now?' }],
});
