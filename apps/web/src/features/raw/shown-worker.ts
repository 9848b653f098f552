/** Texts of megabytes are parsed and masked here, so that the page stays responsive. */
import { maskWith } from '../../lib/masker.ts';
import { shownText, type TextRequest } from './shown-text.ts';

self.addEventListener('message', ({ data }: MessageEvent<TextRequest>) => {
  if (data.masking) maskWith(data.masking);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the page that started the worker gets it
  self.postMessage(shownText(data));
});
