import type { OpenOptions } from '@checkpoint-inspector/core';
import { storeIdFrom } from '@checkpoint-inspector/core';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { fixture, temporaryFolder } from './kaizen/fixtures/open.ts';
import { createRegistry, foreignSystems, type SystemEntry, type Unsearched } from './registry.ts';

afterEach(() => vi.unstubAllEnvs());

/** Kaizen's reader as that of an agent with two places below the home folder; notes what it was opened with. */
function homeSystems(): { entries: readonly SystemEntry[]; given: OpenOptions[] } {
  const given: OpenOptions[] = [];
  const home: SystemEntry = {
    id: 'kaizen',
    label: 'Coder',
    home: ['.coder', '.local/share/coder'],
    load: async () => {
      const { kaizenSystem } = await import('./kaizen/index.ts');
      const open: typeof kaizenSystem.open = (target, options) => {
        given.push(options);
        return kaizenSystem.open(target, options);
      };
      return { ...kaizenSystem, open };
    },
  };
  const others = foreignSystems.filter((entry) => entry.id !== 'kaizen' && entry.home === undefined);
  return { entries: [home, ...others], given };
}

async function homeWith(...places: readonly string[]): Promise<string> {
  const home = await temporaryFolder();
  for (const place of places) await cp(fixture('plain'), join(home, place), { recursive: true });
  return home;
}

const options = (stateFolder: string): OpenOptions => ({
  label: 'given',
  location: './given',
  nameStore: (name) => storeIdFrom(name, () => false),
  stateFolder,
});

it('passes over the known places of a home folder unless it is asked for them, or begins in one', async () => {
  const home = await homeWith('.coder', '.local/share/coder', 'work');
  vi.stubEnv('HOME', home);
  const registry = createRegistry(homeSystems().entries);
  const below = async (folder: string) => (await registry.discover(folder)).map(({ path }) => path.slice(home.length));
  expect(await below(home)).toEqual(['/work']);
  expect(await below(join(home, '.local'))).toEqual([]);
  expect(await below(join(home, '.coder'))).toEqual(['/.coder']);
  const found = await registry.discoverHome(home);
  expect(found.map(({ path, match }) => [path.slice(home.length), match.system])).toEqual([
    ['/.coder', 'kaizen'],
    ['/.local/share/coder', 'kaizen'],
  ]);
});

it('passes over them where the home folder is reached by a link', async () => {
  const home = await homeWith('.coder');
  const linked = join(await temporaryFolder(), 'me');
  await symlink(home, linked);
  vi.stubEnv('HOME', linked);
  expect(await createRegistry(homeSystems().entries).discover(home)).toEqual([]);
});

it('looks at nothing of a home folder that is empty, and says what it did not look at when its time is over', async () => {
  const registry = createRegistry(homeSystems().entries);
  expect(await registry.discoverHome(await temporaryFolder())).toEqual([]);
  const unsearched: Unsearched[] = [];
  const home = await homeWith('.coder');
  const found = await registry.discoverHome(home, { timeLimitMs: 0, onUnsearched: (rest) => unsearched.push(rest) });
  expect(found).toEqual([]);
  expect(unsearched).toEqual([{ searched: 0, left: 2, first: join(home, '.coder'), because: 'time' }]);
});

it('opens what such a system keeps as private, wherever it is, and gives it no folder to keep anything in', async () => {
  const { entries, given } = homeSystems();
  const registry = createRegistry(entries);
  const copy = join(await temporaryFolder(), 'a copy');
  await mkdir(copy);
  await cp(fixture('plain'), copy, { recursive: true });
  const [source] = await registry.open(copy, options('/state'));
  expect(source?.info).toMatchObject({ label: 'given', private: true });
  expect((await source?.tasks())?.items.length).toBeGreaterThan(0);
  expect(given.map(({ stateFolder }) => stateFolder)).toEqual([undefined]);
  const [open] = await createRegistry(foreignSystems).open(copy, options(await temporaryFolder()));
  expect(open?.info.private).toBeUndefined();
});

it("looks at the folders that the programs' own variables name, each once", async () => {
  const home = await homeWith('.coder', 'elsewhere/moved', 'data/coder');
  vi.stubEnv('CODER_HOME', join(home, 'elsewhere/moved'));
  vi.stubEnv('CODER_DATA', join(home, 'data'));
  vi.stubEnv('CODER_RELATIVE', 'elsewhere/moved');
  vi.stubEnv('CODER_SAME', join(home, '.coder'));
  const { entries } = homeSystems();
  const [first, ...others] = entries;
  const places = ['.coder', '$CODER_HOME', '$CODER_DATA/coder', '$CODER_RELATIVE', '$CODER_SAME', '$CODER_UNSET'];
  const registry = createRegistry(first ? [{ ...first, home: places }, ...others] : []);
  const found = await registry.discoverHome(home);
  expect(found.map(({ path }) => path.slice(home.length))).toEqual(['/.coder', '/elsewhere/moved', '/data/coder']);
});
