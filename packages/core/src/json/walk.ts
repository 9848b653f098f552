import { unquote, type JsonNode } from './node.ts';
import { formatStep } from './path.ts';
import { readScalar } from './read.ts';
import { notJson, skipSpace, Strings } from './scan.ts';

/** One value of a text, met on the way through it. */
export interface JsonVisit {
  /** As `formatPath` writes it. */
  readonly path: string;
  readonly kind: JsonNode['kind'];
  readonly start: number;
  /** Absent for a container that holds something: its end is not yet known. */
  readonly end?: number;
}

interface Frame {
  readonly path: string;
  /** `}` or `]`. */
  readonly close: number;
  index: number;
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const COLON = 0x3a;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const ARRAY = 0x5b;

/**
 * Every value of a JSON text in its order, without building nodes: work on a large text can be stopped and taken up
 * again between two values. Each container comes before what it holds. As strict as `parseJson`, at any depth.
 * @throws InspectorError unreadable, once the defect is reached
 * @example [...walkJson('{"a":[1]}')].map(({ path }) => path) // ['$', '$.a', '$.a[0]']
 */
export function* walkJson(text: string): Generator<JsonVisit, void, void> {
  const open: Frame[] = [];
  const strings = new Strings(text);
  let at = skipSpace(text, 0);
  let path = '$';
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== OBJECT && code !== ARRAY) {
      const { kind, start, end } = readScalar(text, at, code, strings);
      yield { path, kind, start, end };
      at = closeEnded(text, end, open);
    } else {
      const kind = code === OBJECT ? 'object' : 'array';
      const inner = skipSpace(text, at + 1);
      if (text.charCodeAt(inner) === code + 2) {
        yield { path, kind, start: at, end: inner + 1 };
        at = closeEnded(text, inner + 1, open);
      } else {
        yield { path, kind, start: at };
        open.push({ path, close: code + 2, index: -1 });
        at = inner;
      }
    }
    const parent = open.at(-1);
    if (parent === undefined) return;
    ({ at, path } = nextChild(text, at, parent, strings));
  }
}

/** Past the ends of containers that end here, and past the comma after them. */
function closeEnded(text: string, from: number, open: Frame[]): number {
  for (let at = skipSpace(text, from); ; at = skipSpace(text, at + 1)) {
    const frame = open.at(-1);
    if (frame === undefined) {
      if (at < text.length) throw notJson(text, at, 'the end');
      return at;
    }
    const code = text.charCodeAt(at);
    if (code === COMMA) return skipSpace(text, at + 1);
    if (code !== frame.close) throw notJson(text, at, frame.close === OBJECT_END ? '"," or "}"' : '"," or "]"');
    open.pop();
  }
}

/** Where the next value of an open container begins, and its path. */
function nextChild(text: string, at: number, frame: Frame, strings: Strings): { at: number; path: string } {
  frame.index += 1;
  if (frame.close !== OBJECT_END) return { at, path: `${frame.path}[${frame.index}]` };
  if (text.charCodeAt(at) !== QUOTE) throw notJson(text, at, 'a key in double quotes');
  const end = strings.end(at);
  const colon = skipSpace(text, end);
  if (text.charCodeAt(colon) !== COLON) throw notJson(text, colon, '":"');
  return { at: skipSpace(text, colon + 1), path: frame.path + formatStep(unquote(text, at, end)) };
}
