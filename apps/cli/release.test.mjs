import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { notesOf, problemsOf } from './release.mjs';

const ROOT = join(import.meta.dirname, '../..');
const changelog = '# Changelog\n\n## 1.2.0 (2026-12-01)\n- New.\n\n## 1.1.0\n- Old.\n';

describe('a release', () => {
  it('has the changes of its version as notes', () => {
    expect(notesOf(changelog, '1.2.0')).toBe('- New.');
    expect(notesOf(changelog, '1.1.0')).toBe('- Old.');
    expect(notesOf(changelog, '1.2')).toBeUndefined();
  });

  it('is published where tag, version and changelog agree', () => {
    expect(problemsOf({ tag: 'v1.2.0', version: '1.2.0', changelog })).toEqual([]);
  });

  it.each([
    ['v1.2.1', '1.2.0', changelog, 'The tag is v1.2.1, and apps/cli/package.json has version 1.2.0.'],
    ['v1.3.0', '1.3.0', changelog, 'CHANGELOG.md has no "## 1.3.0".'],
    ['v1.0.0', '1.0.0', '## 1.0.0 (unreleased)\n- A.', 'CHANGELOG.md calls 1.0.0 unreleased: write its date.'],
    ['v1.0.0', '1.0.0', '## 1.0.0\n', 'CHANGELOG.md says nothing about 1.0.0.'],
  ])('is stopped before %s otherwise: %s', (tag, version, text, problem) => {
    expect(problemsOf({ tag, version, changelog: text })).toEqual([problem]);
  });

  it('runs the checks of this repository, with the pnpm that it names, and publishes with provenance', () => {
    const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
    const { scripts, packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'));
    for (const [, name = ''] of workflow.matchAll(/run: npm (?:run )?(test|rounds|package)$/gm))
      expect(scripts).toHaveProperty(name);
    expect(new Set(workflow.match(/pnpm@[\d.]+/g))).toEqual(new Set([packageManager]));
    expect(workflow).toContain('id-token: write');
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
  });
});
