import { BUNDLE_FORMAT, InspectorError, pathOf, type System, type Target } from '@checkpoint-inspector/core';
import { readHead, realPath } from '@checkpoint-inspector/io';
import { openBundle } from './read.ts';

const HEAD_BYTES = 4096;
const FORMAT = new RegExp(`^\\s*\\{[\\s\\S]*"format"\\s*:\\s*"${BUNDLE_FORMAT}"`);

async function isBundle(target: Target): Promise<boolean> {
  if (target.kind !== 'path' || target.is !== 'file') return false;
  // A file that can't be read may be of another system, which tells why.
  const head = await readHead(realPath(target.path), HEAD_BYTES).catch(() => undefined);
  return head !== undefined && FORMAT.test(new TextDecoder().decode(head));
}

/**
 * What `export` writes: tasks of one store with all that is kept of them, in one file.
 * @example const [source] = await bundleSystem.open(target, options);
 */
export const bundleSystem: System = {
  id: 'bundle',
  label: 'Bundle',
  detect: async (target) =>
    (await isBundle(target))
      ? { system: 'bundle', because: `the format "${BUNDLE_FORMAT}"`, confidence: 1 }
      : undefined,
  async open(target, { label, location, nameStore }) {
    const { path } = pathOf(target);
    if (!(await isBundle(target)))
      throw new InspectorError('no_store', `"${path}" isn't a bundle.`, { data: { path } });
    const real = realPath(path);
    return [await openBundle({ id: nameStore(label), label, location, identity: real }, real)];
  },
};
