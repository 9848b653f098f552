/**
 * Graph signatures. A signature is the sha256 of a graph description in canonical JSON: keys sorted by code units, no
 * spaces, executors by id, edges in a fixed order. It is this library's own: Agent Framework for Python and .NET
 * compute theirs from other descriptions, so the hashes of one workflow differ between the three.
 */
import { quoteJson, toJsonText } from '@checkpoint-inspector/core';
import { createHash } from 'node:crypto';

/**
 * One executor of a workflow graph.
 * @example const executor: GraphExecutor = { id: 'writer', type: 'AgentExecutor' };
 */
export interface GraphExecutor {
  id: string;
  /** Class or kind; a change of it makes checkpoints incompatible. */
  type: string;
}

/**
 * One edge of a workflow graph.
 * @example const edge: GraphEdge = { sourceId: 'writer', targetId: 'reviewer', condition: 'approved' };
 */
export interface GraphEdge {
  sourceId: string;
  targetId: string;
  /** Name of the condition under which the edge is taken. */
  condition?: string;
}

/**
 * What a signature is computed from. Kept in `metadata.graph` of a checkpoint, it tells later which executors differ.
 * @example
 * const graph: GraphDescription = { startExecutorId: 'a', executors: [{ id: 'a', type: 'Start' }], edges: [] };
 */
export interface GraphDescription {
  startExecutorId: string;
  executors: GraphExecutor[];
  edges: GraphEdge[];
}

/**
 * Executors by which two graphs differ, each list sorted.
 * @example const { added, removed, changed } = compareGraphs(saved, current);
 */
export interface GraphDifference {
  /** Only in the second graph. */
  added: string[];
  /** Only in the first graph. */
  removed: string[];
  /** In both, with another type, other edges going out, or only one of them the start. */
  changed: string[];
}

/**
 * The 64 hex digits that stand for a graph. The order in which executors and edges are listed does not matter.
 * @throws InspectorError invalid_input: the description holds something that JSON cannot hold
 * @example const signature = computeGraphSignature(graph);
 */
export function computeGraphSignature(graph: GraphDescription): string {
  const executors = graph.executors.map(executorText).sort().join(',');
  const edges = graph.edges.map(edgeText).sort().join(',');
  const text = `{"edges":[${edges}],"executors":[${executors}],"startExecutorId":${quoteJson(graph.startExecutorId)}}`;
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Names the executors by which two graphs differ.
 * @example compareGraphs(saved, current).removed // ['reviewer']
 */
export function compareGraphs(before: GraphDescription, after: GraphDescription): GraphDifference {
  return differingExecutors(executorDescriptions(before), executorDescriptions(after));
}

/**
 * Executors by which two maps of descriptions differ; '' is a description that is unknown.
 * @example differingExecutors(new Map([['a', '']]), new Map([['b', '']])).added // ['b']
 */
export function differingExecutors(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): GraphDifference {
  const only = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
    [...a.keys()].filter((id) => !b.has(id)).sort();
  const changed = [...before].filter(([id, text]) => text !== '' && (after.get(id) || text) !== text);
  return { added: only(after, before), removed: only(before, after), changed: changed.map(([id]) => id).sort() };
}

/**
 * One text per executor: itself, whether it is the start, and what leaves it.
 * @example executorDescriptions(graph).get('writer')
 */
export function executorDescriptions(graph: GraphDescription): ReadonlyMap<string, string> {
  return new Map(
    graph.executors.map((executor) => {
      const edges = graph.edges.filter((edge) => edge.sourceId === executor.id).map(edgeText);
      const start = graph.startExecutorId === executor.id;
      return [executor.id, `${executorText(executor)} ${start} ${edges.sort().join(',')}`];
    }),
  );
}

/**
 * True for what `GraphDescription` says; for values read from a file.
 * @example if (isGraphDescription(checkpoint.metadata?.graph)) compareGraphs(checkpoint.metadata.graph, current);
 */
export function isGraphDescription(value: unknown): value is GraphDescription {
  const graph = value as Partial<GraphDescription> | null | undefined;
  return (
    typeof graph === 'object' &&
    typeof graph?.startExecutorId === 'string' &&
    Array.isArray(graph.executors) &&
    graph.executors.every((executor: unknown) => hasTexts(executor, ['id', 'type'])) &&
    Array.isArray(graph.edges) &&
    graph.edges.every((edge: unknown) => hasTexts(edge, ['sourceId', 'targetId']))
  );
}

function hasTexts(value: unknown, keys: readonly string[]): boolean {
  return (
    typeof value === 'object' && value !== null && keys.every((key) => typeof Reflect.get(value, key) === 'string')
  );
}

function executorText({ id, type }: GraphExecutor): string {
  return toJsonText({ id, type });
}

function edgeText({ condition, sourceId, targetId }: GraphEdge): string {
  return toJsonText({ condition, sourceId, targetId });
}
