/** Masks what Markdown spells: escapes, entities and emphasis between its letters hide a secret from a look at the text. */
import { secretsIn } from '../../lib/masker.ts';
import type { Shown } from '../../lib/masking.ts';

/** As much of a Markdown node as is looked at here. */
interface MarkdownNode {
  type: string;
  value?: string;
  url?: string;
  children?: MarkdownNode[];
}

const PHRASES = new Set(['paragraph', 'heading', 'tableCell']);

const lettersOf = (node: MarkdownNode): string => node.value ?? (node.children ?? []).map(lettersOf).join('');

/** A plugin of remark. A phrase that spells a secret over several marks becomes one text, masked. */
export function maskedTree({ shown }: { readonly shown: Shown }) {
  const mask = (node: MarkdownNode): void => {
    if (node.value !== undefined) node.value = shown(node.value);
    if (node.url !== undefined) node.url = shown(node.url);
    const letters = PHRASES.has(node.type) ? lettersOf(node) : '';
    if (letters !== '' && shown(letters) !== letters && secretsIn(letters).length > 0)
      node.children = [{ type: 'text', value: shown(letters) }];
    for (const child of node.children ?? []) mask(child);
  };
  return mask;
}
