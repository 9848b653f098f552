import { linter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { MASK_DOTS } from '@checkpoint-inspector/core';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { secretsIn } from '../../lib/masker.ts';
import { useRevealed } from '../../lib/masking.ts';
import { problemIn } from './review.ts';

interface TextEditorProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly label: string;
  /** Where the cursor is put, with focus: the place of a problem. */
  readonly goTo: { readonly offset: number } | undefined;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--fg)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--fg-2)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--accent)' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', font: 'var(--t-data)', color: 'var(--fg)', background: 'var(--bg)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { font: 'inherit', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--fg)' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)' },
  '.cm-gutters': { background: 'var(--bg-side)', color: 'var(--fg-muted)', borderRight: '1px solid var(--line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-tint)',
  },
  '.cm-panels': { background: 'var(--bg-side)', color: 'var(--fg)', borderColor: 'var(--line)' },
  '.cm-textfield, .cm-button': {
    background: 'var(--bg-inset)',
    color: 'var(--fg)',
    border: '1px solid var(--line-strong)',
    font: 'var(--t-ui)',
  },
  '.cm-tooltip': { background: 'var(--bg-raised)', color: 'var(--fg)', border: '1px solid var(--line-strong)' },
  '.cm-masked': { color: 'var(--fg-muted)', background: 'var(--bg-inset)', borderRadius: 'var(--r-mark)' },
});

/** JSON as text, exactly as stored. In a shadow root, where its styles need no style element. */
export function TextEditor({ text, onText, label, goTo }: TextEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onText);
  changed.current = onText;
  const first = useRef(text);
  first.current = text;
  const revealed = useRevealed();

  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          bracketMatching(),
          json(),
          syntaxHighlighting(COLOURS),
          search({ top: true }),
          highlightSelectionMatches(),
          linter(diagnose, { delay: 200 }),
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
          EditorView.lineWrapping,
          // The editor would join all lines by one kind of break; a text that has another keeps its own.
          ...(first.current.includes('\r\n') ? [EditorState.lineSeparator.of('\r\n')] : []),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.sliceDoc());
          }),
          THEME,
          ...(revealed ? [] : [maskedSecrets]),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, revealed]);

  useEffect(() => {
    const editor = view.current;
    // Set from outside: the tree, a draft, a reset. What was typed here is there already.
    if (editor && editor.state.sliceDoc() !== text)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !goTo) return;
    const anchor = Math.min(goTo.offset, editor.state.doc.length);
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    editor.focus();
  }, [goTo]);

  // Outside the shadow root a key looks as if it were pressed on a plain element, and letters would act on the page.
  return (
    <div
      ref={host}
      role="presentation"
      className="edit-text"
      data-testid="edit-text"
      onKeyDown={(event) => (event.ctrlKey || event.metaKey ? undefined : event.nativeEvent.stopPropagation())}
    />
  );
}

function diagnose({ state }: EditorView) {
  const problem = problemIn(state.sliceDoc());
  if (!problem) return [];
  const from = Math.min(problem.offset, state.doc.length);
  return [{ from, to: Math.min(from + 1, state.doc.length), severity: 'error' as const, message: problem.message }];
}

class MaskedSecret extends WidgetType {
  readonly masked: string;

  constructor(masked: string) {
    super();
    this.masked = masked;
  }

  override eq(other: MaskedSecret): boolean {
    return other.masked === this.masked;
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement('span');
    mark.className = 'cm-masked';
    mark.textContent = this.masked;
    mark.title = 'Masked; the text itself is unchanged';
    return mark;
  }
}

/** Secrets of known shapes in the lines in view, as one mark each that the cursor steps over. */
function marksIn(view: EditorView): DecorationSet {
  const marks = view.visibleRanges.flatMap(({ from, to }) => {
    const start = view.state.doc.lineAt(from).from;
    const text = view.state.sliceDoc(start, view.state.doc.lineAt(to).to);
    return secretsIn(text).map((span) =>
      Decoration.replace({
        widget: new MaskedSecret(text.slice(span.start, span.start + span.hint) + MASK_DOTS),
      }).range(start + span.start, start + span.end),
    );
  });
  return Decoration.set(marks, true);
}

/** Shows secrets as masked; editing and copying keep the text. */
const maskedSecrets = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;

    constructor(view: EditorView) {
      this.marks = marksIn(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.marks = marksIn(update.view);
    }
  },
  {
    decorations: (plugin) => plugin.marks,
    provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.marks ?? Decoration.none),
  },
);
