import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FACADE = /^export\{(?<names>[^}]*)\}from"\.\/(?<target>[^"]+)";\s*$/;
const DYNAMIC = /import\(`([^`]+\.js)`\)/g;
const STATIC = /(?:from|import)"([^"]+\.js)"/g;

const placeOf = (path, to) => join(dirname(path), to);

/**
 * A chunk that only passes on what another one exports is a file more to download and to load: who asks for it asks for
 * the other one instead. `files`: code by path in a folder.
 */
export function withoutFacades(files) {
  const placesIn = ([path, code]) => [...code.matchAll(STATIC)].map(([, to]) => placeOf(path, to));
  const needed = new Set([...files].flatMap(placesIn));
  const facades = new Map();
  for (const [path, code] of files) {
    const facade = FACADE.exec(code)?.groups;
    if (facade !== undefined && path.startsWith('chunks/') && !needed.has(path)) facades.set(path, facade);
  }
  const pointed = (path, code) =>
    code.replace(DYNAMIC, (call, to) => {
      const facade = facades.get(placeOf(path, to));
      if (facade === undefined) return call;
      const names = facade.names.split(',').map((name) => name.split(' as '));
      const given = names.map(([own, name = own]) => `${name}:e.${own}`);
      return `import(\`${join(dirname(to), facade.target).replace(/^(?!\.)/, './')}\`).then(e=>({${given}}))`;
    });
  const kept = [...files].filter(([path]) => !facades.has(path));
  return new Map(kept.map(([path, code]) => [path, pointed(path, code)]));
}

export function removeFacades(folder) {
  const paths = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.js'));
  const files = new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  const kept = withoutFacades(files);
  for (const path of paths) {
    const code = kept.get(path);
    if (code === undefined) rmSync(join(folder, path));
    else if (code !== files.get(path)) writeFileSync(join(folder, path), code);
  }
}
