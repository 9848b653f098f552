/** Stored text as it is shown: formatted or as stored, masked or revealed. Runs in a worker for large texts. */
import { InspectorError, parseJson } from '@checkpoint-inspector/core';
import { layout } from '../../lib/layout.ts';
import { maskedText, type Masking } from '../../lib/masker.ts';

export interface TextLook {
  readonly formatted: boolean;
  readonly revealed: boolean;
}

export interface TextRequest extends TextLook {
  /** For a worker, which has none yet. */
  readonly masking?: Masking | undefined;
  readonly text: string;
}

/** `notJson`: the reason, where it cannot be formatted. */
export type TextAnswer = { readonly text: string } | { readonly notJson: string };

export const NOT_JSON = 'This text is not JSON.';
const WIDTH = 100;

/** Formatting adds line breaks and indents, and nothing else: numbers and escapes stay as stored. */
export function shownText({ text, formatted, revealed }: TextRequest): TextAnswer {
  try {
    const laid = formatted ? layout(text, parseJson(text), WIDTH) : text;
    return { text: revealed ? laid : maskedText(laid) };
  } catch (error) {
    if (InspectorError.is(error)) return { notJson: NOT_JSON };
    throw error;
  }
}
