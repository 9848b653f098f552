// The licence texts of everything that the bundler put into our files.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const TEXT = /^(licen[cs]e|copying|notice)/i;
const RULE = '='.repeat(80);

/** `…/node_modules/<name>` of every module that comes from a package, each once. */
export function packageFolders(moduleIds) {
  const folders = moduleIds
    .map((id) => id.replace(/^\0/, '').replaceAll('\\', '/'))
    .map((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)];
}

/** @throws Error for a package that does not say under which licence it is */
function notice(folder) {
  const { name, version, license, author, homepage } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string')
    throw new Error(`${name} ${version} names no licence; look at it before bundling it.`);
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXT.test(entry.name) && !/\.[cm]?[jt]s$/.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').replaceAll('\r\n', '\n').trim());
  const by = typeof author === 'string' ? author : author?.name;
  const title = `${name} ${version}, licence: ${license}`;
  const about = [title, homepage, by && texts.length === 0 ? `Author: ${by}` : undefined].filter(Boolean).join('\n');
  return { name, version, license, text: texts.length > 0 ? texts.join('\n\n') : undefined, about };
}

/** Who owns it: what the licences of most packages differ in. */
const OWNER = /^\s*Copyright\s+(?:\(c\)|©|\d|[A-Z]).*$/gm;

/** Terms that several packages have in the same words, with those packages, in the order of their names. */
function inGroups(notices) {
  const groups = new Map();
  for (const { about, text } of notices) {
    const owners = text.match(OWNER)?.map((line) => line.trim()) ?? [];
    const terms = text
      .replace(OWNER, '')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim();
    const key = terms.replaceAll(/\s+/g, ' ');
    const group = groups.get(key) ?? { packages: [], terms };
    group.packages.push([about, ...owners].join('\n'));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ packages, terms }) => [...packages, terms].join('\n\n'));
}

/** Each package once, in the order of their names. */
function bundled(folders) {
  const notices = folders
    .map(notice)
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version.localeCompare(b.version)));
  return [...new Map(notices.map((one) => [`${one.name} ${one.version}`, one])).values()];
}

/** The same packages for programs that look for known faults in them: `npm audit` doesn't see what is bundled. */
export function bundledSbom(folders, { name, version, license }) {
  const component = (one, type) => ({
    type,
    'bom-ref': `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
    name: one.name,
    version: one.version,
    purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
    licenses: [/^[\w.+-]+$/.test(one.license) ? { license: { id: one.license } } : { expression: one.license }],
  });
  const components = bundled(folders).map((one) => component(one, 'library'));
  const metadata = { component: component({ name, version, license }, 'application') };
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components };
}

/**
 * One text for the package. Where a package ships no licence file its licence is one of those that another one ships,
 * and its terms are given by name with its author.
 */
export function thirdPartyNotices(folders) {
  const known = bundled(folders);
  const withText = known.filter((one) => one.text !== undefined);
  const licences = new Set(withText.map((one) => one.license));
  const others = known
    .filter((one) => one.text === undefined)
    .map((one) => {
      if (!licences.has(one.license)) throw new Error(`${one.name}: no text of the licence ${one.license} is at hand.`);
      return `${one.about}\n\nThe package ships no licence text; the terms of ${one.license} are printed in this file.`;
    });
  const head = 'Checkpoint Inspector contains the following software of others; the terms of each group are below it.';
  return `${[head, ...inGroups(withText), ...others].join(`\n\n${RULE}\n`)}\n`;
}
