// Phrases that read as translated, each with what a native writer would put. They are looked for in what people read,
// the texts of the product's sources and the docs without SQL, and the clearest of them in comments and names of tests.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notesOf, textsOf } from './texts.mjs';

/** What to avoid, in any case, and what to write in its place. */
const PHRASES = [
  [/(?<!\bthere )\b(?:is|are|was) no (?!longer\b|more than\b)/, "isn't a …, isn't valid …, there is no …"],
  [/\bstands?\b(?! for\b)/, 'is, appears, explains'],
  [/\btak(?:e|es|en|ing) (?:\S+ )?back\b|\btook (?:\S+ )*back\b/, 'undo, undone'],
  [/\blets? (?:\S+ )?go\b/, 'releases, closes, deletes'],
  [/\bsays? so\b/, 'reports it'],
  [/\bbrought by\b/, 'default'],
  [/\bnot known\b/, 'unknown'],
  [/\bwent on\b|\bgoes on\b|\bgone on\b|\bgo on (?:with|from|at)\b/, 'recovered, resumes with, moved to'],
  [/\blai?d? out on lines\b|\blay out on lines\b/, 'format'],
  [/\bas the system\b/, 'system'],
  [/\bthe clock of\b/, 'local time'],
  [/\bthere is no undo\b/, "this can't be undone"],
  [/\bbeyond the newest\b/, 'keep newest, not among the newest'],
  [/\bcannot be told\b|\bis not said\b/, 'is unknown'],
  [/\bany ?more\b/, 'no longer'],
  [/\bgiven up\b/, 'cancelled'],
  [/\banew\b/, 'again'],
  [/\bmeanwhile[.:]/, 'in the meantime'],
  [/\bholds? (?:no|nothing|a|an|checkpoints|“|")/, 'contains, has'],
  [/\b(?:is|are) not there\b/, "doesn't exist, is missing"],
  [/\bnothing here is called\b|\bis called “/, 'no results for, no … match'],
  [/\bis being (?:looked at|computed|made)\b/, 'Checking…, Preparing…'],
  [/\bhave to hold\b/, 'must match'],
  [/\bwhat goes\b/, 'deleted checkpoints'],
  [/\bthis very\b|\bthe very\b|\bof this very\b/, 'exactly this'],
  [/\botherwise than\b/, 'differently from'],
  [/\b(?:with|at|out of) which\b/, 'where, or end with the preposition'],
  [/\bhas no (?:place|room) for\b/, "can't store"],
  [/\bput together\b/, 'assembled, built'],
  [/\bhand(?:s|ed)? out\b/, 'return'],
  [/\bas (?:it is|they are) stored\b/, 'as stored'],
  [/\bfor (?:reading|looking) only\b/, 'read-only'],
  [/\bkeeps? nobody\b|\bholds? (?:up )?nobody\b/, "doesn't block"],
  [/\ball went well\b/, 'success'],
  [/\btrees of their own\b/, 'separate trees'],
  [/\bin (?:its|their) beginning\b/, 'the first … characters'],
  [/\bsince (?:it was shown|the preview)\b/, 'after it was shown, after the preview'],
  [/\bha(?:s|ve) to be\b/, 'must be'],
  [/\bin another way\b|\bon another way\b/, 'differently'],
  [/\bwaits to be\b/, 'waiting to be'],
  [/\bpart here\b|\bthey part\b/, 'fork point, diverge'],
  [/\bthe one that wrote\b/, 'name who wrote it'],
  [/\bof a task;/, 'per task'],
  [/\bpile up\b/, 'accumulate'],
  [/\bgo in a circle\b/, 'form a loop'],
  [/\bis all that is left\b|\bonly the id is left\b/, 'is no longer in the store'],
  [/\boutranks?\b/, 'takes precedence over, would be chosen over'],
  [/\bsets? aside\b|\bset aside\b/, 'move aside'],
  [/\bfrom \d[\w.]* on\b|\bof today\b/, '… and later, current versions'],
  [/\bneeds a yes\b/, 'needs your confirmation'],
  [/\bas far as\b/, 'where, as reported by'],
  [/\blooked through\b/, 'searched'],
  [/\bbrings? only\b/, 'adds only'],
  [/\bgood checkpoint before it\b/, 'earlier good checkpoint: NO_LAST_GOOD of core'],
  [/\bha(?:s|ve) no place in\b/, "can't store"],
  [/\banswers? (?:otherwise|something else)\b/, 'answers differently'],
  [/, also after\b/, ', even after'],
  [/\bwhat tells (?:the )?most\b/, 'most telling'],
  [/\bthe whole of\b/, 'all of, in full'],
  [/\bthat could be (?:edited|opened|shown)\b/, 'to edit, to open, to show'],
  [/\p{L}’\p{L}/, "the straight apostrophe, as everywhere here: '"],
];

/** What to avoid in comments and in names of tests as well. */
const IN_NOTES = [
  [/(?<!\bthere )\b(?:is|are) no (?:JSON|UTF-8|number|object|list|text|file|checkpoint|part)s?\b/, "isn't a …"],
  [/\bstands? (?:in|at|on|under|above|below|before|after|behind|there|here|alone|last|first)\b(?! for\b)/, 'is'],
  [/\banew\b/, 'again'],
  [/\bas (?:it is|they are) stored\b/, 'as stored'],
  [/\blooked through\b/, 'searched'],
  [/\b(?:is|are) not there\b/, "doesn't exist, is missing"],
  [/\btak(?:es|en) (?:it )?back\b/, 'undoes, undone'],
  [/\bgo(?:es)? on (?:with|from)\b|\bwent on (?:with|from)\b/, 'continues with'],
  [/\bkeeps? nobody\b|\bholds? nobody\b/, "doesn't block"],
  [/\bholds? no\b/, 'has no'],
  [/\boutranks?\b/, 'takes precedence over'],
];

/** Texts that may have one of them: `file`, a part of the `text`, and the `reason`. */
export const ALLOWED = [];

/** Each phrase in a text, in words. @example phrasesIn('The file is no database.')[0] */
export const phrasesIn = (text) => foundIn(text, PHRASES);

/** The same for a comment or the name of a test. */
export const phrasesInNote = (text) => foundIn(text, IN_NOTES);

function foundIn(text, phrases) {
  return phrases.flatMap(([phrase, better]) => {
    const found = new RegExp(phrase, 'iu').exec(text);
    return found ? [`"${found[0].trim()}" reads as translated; write: ${better}.`] : [];
  });
}

const SKIPPED =
  /\.test\.|(^|\/)(test|testing|fixtures|scale|interop|bench|node_modules|dist)(\/|$)|(^|\/)test-|^e2e\/|\/\./;
const SQL = /^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA)\b/;

function* readable(folder, root) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const file = relative(root, path).split(sep).join('/');
    if (entry.name.startsWith('.') || SKIPPED.test(file)) continue;
    if (entry.isDirectory()) yield* readable(path, root);
    else if (/\.(tsx?|md)$/.test(entry.name)) yield file;
  }
}

/** The lines of a page of the docs, without code. */
const linesOfDoc = (text) =>
  text
    .replaceAll(/^```[\s\S]*?^```/gm, (code) => code.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]*`/g, '…')
    .split('\n')
    .map((line, at) => ({ line: at + 1, text: line }));

/** What people read in a file, with its lines. */
export const readAt = (file, source) => (file.endsWith('.md') ? linesOfDoc(source) : textsOf(source, file));

const SOURCES = /\.(?:tsx?|mjs)$/;

function* sources(folder, root) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || /^(?:node_modules|dist)$/.test(entry.name)) continue;
    if (entry.isDirectory()) yield* sources(path, root);
    // This list and its test name what they look for.
    else if (SOURCES.test(entry.name) && !entry.name.startsWith('phrases.'))
      yield relative(root, path).split(sep).join('/');
  }
}

/** Every phrase in comments and names of tests. */
export function phrasesOfNotes(root) {
  return [...sources(root, root)].flatMap((file) =>
    notesOf(readFileSync(join(root, file), 'utf8'), file).flatMap(({ line, text }) =>
      phrasesInNote(text).map((words) => `${file}:${line}: ${words}`),
    ),
  );
}

/** Every phrase that people would read in the repository. */
export function phrasesOf(root) {
  return [...readable(root, root)].flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const found = readAt(file, source)
      .filter(({ text }) => !SQL.test(text) && !ALLOWED.some((one) => one.file === file && text.includes(one.text)))
      .flatMap(({ line, text }) => phrasesIn(text).map((words) => `${file}:${line}: ${words}`));
    return [...new Set(found)];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = resolve(import.meta.dirname, '../..');
  const found = [...phrasesOf(root), ...phrasesOfNotes(root)];
  for (const line of found) console.error(line);
  if (found.length > 0) process.exit(1);
  console.log('phrases: none that reads as translated');
}
