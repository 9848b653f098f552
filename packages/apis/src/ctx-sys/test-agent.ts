/** For tests: the document's research agent as a program. Arguments: database, and `online` or `offline`. */
import { CheckpointedExecutor, createCtxSysCheckpointManager, type PlanStep } from './index.ts';

const [path = '', network] = process.argv.slice(-2);
const manager = await createCtxSysCheckpointManager({ path });
const tell = (event: object): void => void process.stdout.write(`${JSON.stringify(event)}\n`);
let attempts = 0;

const executor = new CheckpointedExecutor(manager, async ({ id }) => {
  tell({ step: id });
  if (id === '1') return ['CompanyA', 'CompanyB', 'CompanyC'];
  if (network === 'online') return `done ${id}`;
  if (attempts++ === 0) throw new Error('API timeout');
  // The second attempt hangs in the network until the process is killed.
  tell({ hangs: id });
  return new Promise(() => setInterval(() => undefined, 1000));
});

const plan: PlanStep[] = ['Identify competitors', 'Fetch Q4 revenue', 'Compile comparison report'].map(
  (description, at) => ({
    id: String(at + 1),
    description,
    action: 'research',
    parameters: {},
    status: 'pending',
  }),
);
const query = 'Find all competitors and their quarterly revenue';
const resume = { resumeFromCheckpoint: true };

const first = await executor.execute('research', 'demo', plan, { query, ...(network === 'online' ? resume : {}) });
tell({ success: first.success, error: first.error, metrics: manager.metrics() });
if (!first.success) await executor.execute('research', 'demo', plan, resume);
manager.close();
