/** The files that LangGraph's dev servers write into `.langgraph_api`, and what is in a folder of them. */
import type { PathTarget } from '@checkpoint-inspector/core';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** A dev server as it is started on the command line. */
export type Server = 'langgraphjs dev' | 'langgraph dev';

export interface DevFiles {
  readonly server: Server;
  readonly folder: string;
  /** The file that holds the checkpoints. */
  readonly main: string;
  /** What belongs to it and may be missing. */
  readonly others: readonly string[];
}

const JAVASCRIPT = { main: '.langgraphjs_api.checkpointer.json', ops: '.langgraphjs_ops.json' };
const PYTHON = {
  main: '.langgraph_checkpoint.1.pckl',
  writes: '.langgraph_checkpoint.2.pckl',
  blobs: '.langgraph_checkpoint.3.pckl',
  ops: '.langgraph_ops.pckl',
};

const NAMES =
  /^\.(?:langgraphjs_(?:api\.checkpointer|api\.store|ops)\.json|langgraph_(?:checkpoint\.[123]|ops)\.pckl)$/;

/** The stores in a folder, or of the folder that one of their files is in. Only names are looked at. */
export async function devFilesAt({ path, is }: PathTarget): Promise<readonly DevFiles[]> {
  const folder = is === 'file' ? dirname(path) : path;
  if (is === 'file' && !NAMES.test(basename(path))) return [];
  const names = new Set(await readdir(folder).catch(() => []));
  const wanted = is === 'file' ? serverOf(basename(path)) : undefined;
  const stores: readonly DevFiles[] = [
    { server: 'langgraphjs dev', folder, main: JAVASCRIPT.main, others: [JAVASCRIPT.ops] },
    { server: 'langgraph dev', folder, main: PYTHON.main, others: [PYTHON.writes, PYTHON.blobs, PYTHON.ops] },
  ];
  return stores.filter(({ server, main }) => names.has(main) && (wanted === undefined || server === wanted));
}

function serverOf(name: string): Server {
  return name.startsWith('.langgraphjs_') ? 'langgraphjs dev' : 'langgraph dev';
}
