/** Texts of megabytes are parsed and masked here, so that the page stays responsive. */
import { shownText, type TextRequest } from './shown-text.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the page that started the worker gets it
self.addEventListener('message', ({ data }: MessageEvent<TextRequest>) => self.postMessage(shownText(data)));
