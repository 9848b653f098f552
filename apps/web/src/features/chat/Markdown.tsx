import { Copy, ImageOff } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { copyShown } from '../../components/copy.ts';
import { Icon, IconButton } from '../../components/index.ts';
import { useShown } from '../../lib/masking.ts';
import { maskedTree } from './masked-tree.ts';

/**
 * Markdown as React elements. HTML in it stays text, images are named and never fetched, and a link leads nowhere: its
 * address is shown and can be copied.
 */
export function Markdown({ text }: { readonly text: string }) {
  const shown = useShown();
  return (
    <div className="chat-md">
      <ReactMarkdown
        remarkPlugins={[remarkGfm, [maskedTree, { shown }]]}
        components={COMPONENTS}
        urlTransform={(url) => url}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

function Linked({ href = '', children }: ComponentProps<'a'>) {
  const isPlain = wordsIn(children) === href;
  return (
    <span className="md-link" title={href}>
      <u>{children}</u>
      {!isPlain && href !== '' && <span className="md-address"> ({href})</span>}
      {/^(?:https?:|mailto:)/i.test(href) && (
        <IconButton label="Copy link" icon={Copy} onClick={() => void copyShown(href, 'The link')} />
      )}
    </span>
  );
}

const wordsIn = (children: ReactNode): string => (typeof children === 'string' ? children : '');

function Pictured({ alt = '', src }: ComponentProps<'img'>) {
  return (
    <span className="md-image" title={typeof src === 'string' ? src : undefined}>
      <Icon of={ImageOff} size={12} /> {alt === '' ? 'image' : alt} <span className="muted">(not loaded)</span>
    </span>
  );
}

interface MarkdownElement {
  readonly tagName?: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly MarkdownElement[];
}

const lettersIn = (node: MarkdownElement): string => node.value ?? (node.children ?? []).map(lettersIn).join('');

function languageOf(code: MarkdownElement | undefined): string {
  const names = code?.properties?.className;
  const name: unknown = Array.isArray(names) ? names[0] : undefined;
  return typeof name === 'string' ? name.replace('language-', '') : '';
}

/** Code as it is written, with its language and a button to copy it. */
function CodeBlock({ node }: ComponentProps<'pre'> & { readonly node?: MarkdownElement | undefined }) {
  const code = node?.children?.[0];
  const text = lettersIn(code ?? {}).replace(/\n$/, '');
  const language = languageOf(code);
  return (
    <div className="md-code">
      <div className="md-code-head">
        <span className="muted small">{language === '' ? 'code' : language}</span>
        <IconButton label="Copy code" icon={Copy} onClick={() => void copyShown(text, 'The code')} />
      </div>
      <pre tabIndex={0} aria-label={language === '' ? 'Code' : `Code in ${language}`}>
        {text}
      </pre>
    </div>
  );
}

/** Headings in a message are drawn as bold lines, so they stay out of the page's own outline. */
const Heading = ({ children }: { readonly children?: ReactNode }) => <p className="md-heading">{children}</p>;

const COMPONENTS: Components = {
  a: Linked,
  img: Pictured,
  pre: CodeBlock,
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  input: ({ checked }) => (
    <span aria-label={checked ? 'done' : 'to do'} role="img">
      {checked ? '☑ ' : '☐ '}
    </span>
  ),
  table: ({ children }) => (
    <div className="md-table" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
};
