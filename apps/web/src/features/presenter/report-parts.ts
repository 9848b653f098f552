/** A report, which is a file of its own, as parts that can be shown inside the page. */

/** What a report is made of. Anything else in the file is left out with all it holds. */
const TAGS = new Set(
  'div p h1 h2 h3 b br code pre span del ol ul li table thead tbody tr th td details summary svg path circle text tspan'.split(
    ' ',
  ),
);
/** The page has landmarks of its own. */
const PLAIN = new Set(['main', 'header', 'footer', 'section']);
const ATTRIBUTES = new Set('class title role aria-label start x y r cx cy d viewBox'.split(' '));

const STYLE = /<style>([^<]*)<\/style>/g;

export interface ReportParts {
  readonly css: string;
  readonly body: DocumentFragment;
}

/**
 * Copied element by element: no script, handler, address or style of an element comes along.
 * @example reportParts('<body><p onclick="x()">1</p></body>').body.textContent // '1'
 */
export function reportParts(html: string): ReportParts {
  // Taken out first: the page's policy would report a style element that is parsed, even where it is shown nowhere.
  const css = [...html.matchAll(STYLE)].map(([, text = '']) => text).join('\n');
  const file = new DOMParser().parseFromString(html.replaceAll(STYLE, ''), 'text/html');
  const body = document.createDocumentFragment();
  append(body, file.body.childNodes);
  return { css: asScoped(css), body };
}

function append(to: ParentNode, from: Iterable<Node>): void {
  for (const node of from) {
    if (node instanceof Text) to.append(node.data);
    else if (node instanceof Element) appendElement(to, node);
  }
}

function appendElement(to: ParentNode, from: Element): void {
  const tag = PLAIN.has(from.localName) ? 'div' : from.localName;
  if (!TAGS.has(tag)) return;
  const copy = document.createElementNS(from.namespaceURI, tag);
  for (const { name, value } of from.attributes) if (ATTRIBUTES.has(name)) copy.setAttribute(name, value);
  append(copy, from.childNodes);
  to.append(copy);
}

/** What the file says of its root and body is said of the host; whether it is dark, the page decides. */
const asScoped = (css: string): string =>
  css
    .replaceAll(/color-scheme:[^;}]*;?/g, '')
    .replaceAll(/:root\b/g, ':host')
    .replaceAll(/(^|[\s},])body(?=[\s,{])/g, '$1:host');
