import type { RunCase } from '@checkpoint-inspector/core/testing';
import { toCtxSys, toLangGraph, toNative } from './databases.ts';
import { toAgentFramework, toAgentFrameworkPython, toKaizen, toRlmAct } from './folders.ts';
import type { StoredCase, StoredSystem, Writing } from './types.ts';

const WRITERS: Readonly<Record<StoredSystem, (writing: Writing) => Promise<StoredCase>>> = {
  native: toNative,
  langgraph: toLangGraph,
  kaizen: toKaizen,
  'agent-framework-python': toAgentFrameworkPython,
  'agent-framework': toAgentFramework,
  'ctx-sys': toCtxSys,
  'rlm-act': toRlmAct,
};

/** Writes a made-up run into a store of a system, in an empty folder. */
export function storeCase(system: StoredSystem, run: RunCase, folder: string): Promise<StoredCase> {
  const byId = new Map(run.steps.map((step) => [step.id, step]));
  const branch = [];
  for (let step = byId.get(run.head); step; step = step.parent === undefined ? undefined : byId.get(step.parent)) {
    branch.unshift(step);
  }
  return WRITERS[system]({ folder, task: `${run.domain}-${run.seed}`, steps: run.steps, branch });
}
