// Run beside the installed packages: does what a list of commands says with VoltAgent itself, and prints what came of it.
import { createWorkflowChain, Memory, VoltAgent } from '@voltagent/core';
import { LibSQLMemoryAdapter } from '@voltagent/libsql';
import { z } from 'zod';

const [, , path, commands] = process.argv;
const memory = new Memory({ storage: new LibSQLMemoryAdapter({ url: `file:${path}` }) });
const any = z.any();
/** Every step that ran, in this process. */
const ran = [];
const chain = (id) =>
  createWorkflowChain({ id, name: id, input: any, result: any, suspendSchema: any, resumeSchema: any, memory });
const step = (id, execute) => ({
  id,
  execute: async (context) => {
    ran.push(id);
    return execute(context);
  },
});

const approval = chain('approval-flow')
  .andThen(step('draft', async ({ data }) => ({ ...data, status: 'drafted' })))
  .andThen(
    step('approve', async ({ data, suspend, resumeData }) =>
      resumeData ? { ...data, ...resumeData } : suspend('wait', { question: 'Pay?' }),
    ),
  )
  .andThen(step('pay', async ({ data }) => ({ ...data, status: data.approved ? 'paid' : 'refused' })));
const long = Array.from({ length: 105 }, (_, at) =>
  step(`s${String(at).padStart(3, '0')}`, async ({ data }) => ({ n: data.n + 1 })),
).reduce((flow, one) => flow.andThen(one), chain('long-chain'));

const volt = new VoltAgent({ agents: {}, workflows: { approval, long } });
const workflows = { 'approval-flow': approval.toWorkflow(), 'long-chain': long.toWorkflow() };

async function act({ act: what, name, id, input }) {
  if (what === 'run') return workflows[name].run(input, { executionId: id });
  if (what === 'restart') return workflows[name].restart(id);
  return volt.workflowRegistry.resumeSuspendedWorkflow(name, id, input);
}

const answers = [];
for (const command of JSON.parse(commands)) {
  ran.length = 0;
  const done = await act(command).catch((error) => ({ status: `ERR ${error.message}` }));
  answers.push({ status: done.status, result: done.result, ran: [...ran] });
}
process.stdout.write(`\n${JSON.stringify(answers)}\n`);
process.exit(0);
