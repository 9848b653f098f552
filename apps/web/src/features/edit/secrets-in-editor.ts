import { findSecrets, maskSecrets } from '@checkpoint-inspector/core';
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view';

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
    return findSecrets(text).map((span) =>
      Decoration.replace({ widget: new MaskedSecret(maskSecrets(text.slice(span.start, span.end))) }).range(
        start + span.start,
        start + span.end,
      ),
    );
  });
  return Decoration.set(marks, true);
}

/** Shows secrets as masked; editing and copying keep the text. */
export const maskedSecrets = ViewPlugin.fromClass(
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
