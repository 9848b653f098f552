// What a release has to agree on before it is published: tag, version and changelog. `check` stops it, `notes` prints
// its part of the changelog.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The part of the changelog for a version, without its heading; `undefined` where there is none.
 * @example notesOf('## 1.0.0\n- First.\n', '1.0.0') // '- First.'
 */
export function notesOf(changelog, version) {
  const [, ...parts] = changelog.split(/^## /m);
  const part = parts.find((one) => one.split(/\s/, 1)[0] === version);
  return part?.slice(part.indexOf('\n') + 1).trim();
}

/** What keeps a tag from being published, in words. */
export function problemsOf({ tag, version, changelog }) {
  const heading = new RegExp(`^## ${version.replaceAll('.', String.raw`\.`)}(.*)$`, 'm').exec(changelog);
  return [
    tag === `v${version}` ? [] : `The tag is ${tag}, and apps/cli/package.json has version ${version}.`,
    heading ? [] : `CHANGELOG.md has no "## ${version}".`,
    heading?.[1]?.includes('unreleased') ? `CHANGELOG.md calls ${version} unreleased: write its date.` : [],
    heading && notesOf(changelog, version) === '' ? `CHANGELOG.md says nothing about ${version}.` : [],
  ].flat();
}

const [mode, tag = ''] = process.argv.slice(2);
if (mode === 'check' || mode === 'notes') {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'));
  const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  const problems = problemsOf({ tag, version, changelog });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
  console.log(mode === 'notes' ? notesOf(changelog, version) : `${tag} can be published.`);
}
