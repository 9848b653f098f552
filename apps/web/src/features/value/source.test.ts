// @vitest-environment jsdom
import { formatPath } from '@checkpoint-inspector/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook } from '@testing-library/react';
import { createElement, type ReactNode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { textParts, type PartSource } from './source.ts';
import { useValueTree, type ValueTreeState } from './use-tree.ts';

afterEach(cleanup);

const MANY = 510;

function show(source: PartSource, path?: string) {
  const client = new QueryClient();
  const wrapper = ({ children }: { readonly children: ReactNode }) =>
    createElement(QueryClientProvider, { client }, children);
  const paths: string[] = [];
  const onPath = (to: string): void => void paths.push(to);
  const tree = renderHook(
    (at: { source: PartSource; path: string | undefined }) => useValueTree(at.source, at.path, onPath),
    {
      wrapper,
      initialProps: { source, path },
    },
  );
  const shown = (): string[] => tree.result.current.rows.map((row) => nameOf(tree.result.current, row));
  const toggle = (path: string): void => {
    const { rows, toggle: press } = tree.result.current;
    const row = rows.find((one) => nameOf(tree.result.current, one) === path);
    act(() => row && press(row));
  };
  return { tree, shown, toggle, paths };
}

function nameOf(tree: ValueTreeState, row: ValueTreeState['rows'][number]): string {
  const found = row.kind === 'value' ? tree.known(row) : undefined;
  return found ? `${formatPath(found.path)}${found.shadowed ? ' shadowed' : ''}` : row.key;
}

describe('the tree of a text', () => {
  it('opens the root and small containers right below it', () => {
    expect(show(textParts('{"a":{"b":{"c":1}},"d":[]}')).shown()).toEqual(['$', '$.a', '$.a.b', '$.d']);
    expect(show(textParts('3.50')).shown()).toEqual(['$']);
  });

  it('closes what the reader closes', () => {
    const { shown, toggle } = show(textParts('{"a":{"b":1}}'));
    toggle('$.a');
    expect(shown()).toEqual(['$', '$.a']);
  });

  it('keeps duplicate keys, marked, and goes to the one that counts', () => {
    const source = textParts('{"a":1,"a":2}');
    const { tree, shown, paths } = show(source);
    expect(shown()).toEqual(['$', '$.a shadowed', '$.a']);
    expect(new Set(tree.result.current.rows.map((row) => row.key)).size).toBe(3);
    for (const row of tree.result.current.rows) act(() => tree.result.current.focus(row));
    expect(paths).toEqual(['$', '$.a']);
    act(() => tree.rerender({ source, path: '$.a' }));
    expect(tree.result.current.rows[tree.result.current.active]).toMatchObject({ place: 1 });
  });

  it('opens the way to a path, and no further where nothing is', () => {
    const text = `{"config":{"Key":"x"},"list":[${Array.from({ length: MANY }, () => '0').join(',')}]}`;
    const { tree, shown } = show(textParts(text), `$.list[${MANY - 1}]`);
    expect(shown()).toContain(`$.list[${MANY - 1}]`);
    expect(tree.result.current.active).toBe(shown().indexOf(`$.list[${MANY - 1}]`));
    expect(show(textParts(text), '$.config.no[0].x').shown()).not.toContain('$.list[0]');
  });

  it('stays open while the text is edited, and follows values to their new places', () => {
    const { tree, shown, toggle } = show(textParts('{"n":0,"a":{"b":{"c":1}}}'), '$.a.b');
    toggle('$.a.b');
    act(() => tree.rerender({ source: textParts('{"a":{"new":2,"b":{"c":1,"d":2}}}'), path: '$.a.b' }));
    expect(shown()).toEqual(['$', '$.a', '$.a.new', '$.a.b', '$.a.b.c', '$.a.b.d']);
    expect(tree.result.current.active).toBe(3);
    act(() => tree.rerender({ source: textParts('{"a":1}'), path: '$.a.b' }));
    expect(shown()).toEqual(['$', '$.a']);
    expect(tree.result.current.active).toBe(-1);
  });

  it('does not fail on deep nesting', () => {
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    expect(show(textParts(deep)).shown().length).toBeGreaterThan(1);
  });
});

describe('finding in a text', () => {
  it('looks through keys and exact values', async () => {
    const source = textParts('{"config":{"Key":"x"},"v":12345678901234567890}');
    const found = async (words: string) => (await source.find(words, undefined)).items.map(({ path }) => path);
    expect(await found('key')).toEqual(['$.config.Key']);
    expect(await found('12345678901234567890')).toEqual(['$.v']);
    expect(await found('nowhere')).toEqual([]);
  });
});
