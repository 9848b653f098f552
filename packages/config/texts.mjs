// What a file shows to people: its string literals, templates and JSX text, without comments.
import { parseSync, Visitor } from 'rolldown/utils';

/** Stands for a value inside a text. */
export const VALUE = '{…}';

/** The texts of a source file with their lines; what a template or an element fills in reads `{…}`. */
export function textsOf(source, name = 'a.tsx') {
  const { program, errors } = parseSync(name, source, { lang: name.endsWith('x') ? 'tsx' : 'ts' });
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  const found = [];
  const add = (node, text) => {
    const plain = text.replace(/\s+/g, ' ').trim();
    if (/\p{L}/u.test(plain)) found.push({ at: node.start, text: plain });
  };
  const addChildren = (node) => add(node, childrenOf(node));
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string') add(node, node.value);
    },
    TemplateLiteral: (node) => add(node, node.quasis.map((part) => part.value.cooked ?? part.value.raw).join(VALUE)),
    JSXElement: addChildren,
    JSXFragment: addChildren,
  }).visit(program);
  const lineOf = linesOf(source);
  return found.toSorted((a, b) => a.at - b.at).map(({ at, text }) => ({ line: lineOf(at), text }));
}

/** The comments of a source file and the names of its tests, with their lines. */
export function notesOf(source, name = 'a.tsx') {
  const { comments, program, errors } = parseSync(name, source, { lang: name.endsWith('x') ? 'tsx' : 'ts' });
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  const found = comments.map(({ start, value }) => ({ at: start, text: value.replace(/\s*\n[\s*]*/g, ' ').trim() }));
  new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      if (title?.type === 'Literal' && typeof title.value === 'string' && TESTS.has(nameOf(callee)))
        found.push({ at: title.start, text: title.value });
    },
  }).visit(program);
  const lineOf = linesOf(source);
  return found.map(({ at, text }) => ({ line: lineOf(at), text }));
}

const TESTS = new Set(['describe', 'it', 'test']);

/** `it` of `it(…)`, `it.skip(…)` and `it.each([…])(…)`. */
const nameOf = (callee) => callee.name ?? nameOf(callee.object ?? callee.callee ?? { name: '' });

/** The words between the tags of an element; elements inside it are read on their own, too. */
function childrenOf(element) {
  return element.children
    .map((child) => {
      if (child.type === 'JSXText') return child.value;
      if (child.type === 'JSXElement' || child.type === 'JSXFragment') return childrenOf(child);
      const { expression } = child;
      return expression?.type === 'Literal' && typeof expression.value === 'string' ? expression.value : VALUE;
    })
    .join('');
}

function linesOf(source) {
  const ends = [...source.matchAll(/\n/g)].map((match) => match.index);
  return (at) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] < at) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
