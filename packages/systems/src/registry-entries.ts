/** The systems, and what is known of each before it is loaded. */
import type { System } from '@checkpoint-inspector/core';
import { anything, databaseWith, documents, fileWithoutTables, orAddress, type MayBe } from './registry-sight.ts';

/** A system that is loaded only when something may be its own. */
export interface SystemEntry {
  readonly id: string;
  readonly label: string;
  readonly load: () => Promise<System>;
  /** Whether it is worth loading for a target: never false where the system's `detect` would match. Default: always. */
  readonly mayBe?: MayBe;
  /** Code that this process was given: no other one can open its stores. */
  readonly isInPlace?: true;
  /** Its stores are database files: statements on them can take any time. */
  readonly readsDatabases?: true;
  /** Its stores are read whole: that can take long where they are large, and is done apart from other stores. */
  readonly readsWhole?: true;
  /**
   * Its places below a home folder, and those that the program's own variables name: looked at only when asked. What
   * such a system keeps is a person's private work, wherever it is opened.
   * @example ['.codex', '$CODEX_HOME', '$XDG_DATA_HOME/opencode']
   */
  readonly home?: readonly string[];
  /** How sure its matches are at most: it isn't asked about what another one is as sure of. Default: more than any. */
  readonly surest?: number;
}

const hasLangGraph = databaseWith(/^checkpoints$/, ['thread_id', 'checkpoint_id']);

const SURE = 0.95;

/** The systems of others; our own store is added by who starts the program. */
export const foreignSystems: readonly SystemEntry[] = [
  {
    id: 'kaizen',
    label: 'Kaizen',
    surest: SURE,
    mayBe: documents(/\.jsonl(\.gz)?$/),
    load: async () => (await import('./kaizen/index.ts')).kaizenSystem,
  },
  {
    id: 'langgraph',
    label: 'LangGraph',
    readsDatabases: true,
    mayBe: orAddress(hasLangGraph),
    load: async () => (await import('./langgraph/index.ts')).langgraphSystem,
  },
  {
    id: 'langgraph-dev',
    label: 'LangGraph dev server',
    readsWhole: true,
    mayBe: documents(/^\.langgraph/),
    load: async () => (await import('./langgraph-dev/index.ts')).langgraphDevSystem,
  },
  {
    id: 'agent-framework',
    label: 'Agent Framework',
    surest: SURE,
    mayBe: documents(/\.jsonl?$/),
    load: async () => (await import('./agent-framework/index.ts')).agentFrameworkSystem,
  },
  {
    id: 'ctx-sys',
    label: 'ctx-sys',
    readsDatabases: true,
    mayBe: databaseWith(/^(p_.*_)?checkpoints$/s, ['session_id', 'state_json']),
    load: async () => (await import('./ctx-sys/system.ts')).ctxSysSystem,
  },
  {
    id: 'mastra',
    label: 'Mastra',
    readsDatabases: true,
    mayBe: databaseWith(/^mastra_(workflow_snapshot|threads)$/, ['createdAt', 'updatedAt']),
    load: async () => (await import('./mastra/index.ts')).mastraSystem,
  },
  {
    id: 'voltagent',
    label: 'VoltAgent',
    readsDatabases: true,
    mayBe: databaseWith(/_(workflow_states|messages)$/s, ['created_at']),
    load: async () => (await import('./voltagent/index.ts')).voltagentSystem,
  },
  {
    id: 'opencode',
    label: 'opencode',
    home: ['.local/share/opencode', '$XDG_DATA_HOME/opencode'],
    readsDatabases: true,
    mayBe: databaseWith(/^session$/, ['project_id', 'directory', 'revert']),
    load: async () => (await import('./opencode/index.ts')).opencodeSystem,
  },
  {
    id: 'rlm-act',
    label: 'rlm-act',
    surest: SURE,
    mayBe: documents(/\.json$/),
    load: async () => (await import('./rlm-act/index.ts')).rlmActSystem,
  },
  {
    id: 'gemini-cli',
    label: 'Gemini CLI',
    home: ['.gemini', '$GEMINI_CLI_HOME/.gemini', '.qwen'],
    surest: SURE,
    mayBe: documents(/\.jsonl?$/),
    load: async () => (await import('./gemini-cli/index.ts')).geminiCliSystem,
  },
  {
    id: 'openai-agents',
    label: 'OpenAI Agents SDK',
    surest: SURE,
    mayBe: documents(/^[^.].*\.(json|state)$/i),
    load: async () => (await import('./openai-agents/index.ts')).openaiAgentsSystem,
  },
  {
    id: 'codex',
    label: 'Codex',
    home: ['.codex', '$CODEX_HOME'],
    surest: SURE,
    mayBe: documents(/^rollout-.*\.jsonl(\.zst)?$/),
    load: async () => (await import('./codex/index.ts')).codexSystem,
  },
  {
    id: 'claude-code',
    label: 'Claude Code',
    home: ['.claude', '.config/claude', '$CLAUDE_CONFIG_DIR'],
    surest: SURE,
    mayBe: documents(/\.jsonl$/),
    load: async () => (await import('./claude-code/index.ts')).claudeCodeSystem,
  },
  {
    id: 'bundle',
    label: 'Bundle',
    mayBe: fileWithoutTables,
    load: async () => (await import('./bundle/index.ts')).bundleSystem,
  },
  {
    id: 'described',
    label: 'Your own format',
    surest: 0,
    mayBe: anything,
    readsDatabases: true,
    load: async () => (await import('./described/index.ts')).describedSystem,
  },
];
