import { InspectorError } from '../errors.ts';

/** States are compared as texts: as values, numbers such as 1.0 and 1 are the same. @throws InspectorError invalid_input */
export function checkTexts(...states: readonly unknown[]): void {
  if (states.every((state) => typeof state === 'string')) return;
  throw new InspectorError('invalid_input', 'Give each state as JSON text.', {
    remedy: 'Use the text that a store gives, or JSON.stringify(state).',
  });
}
