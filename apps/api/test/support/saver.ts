/** Entry of a process that saves checkpoints and tells of each one that is acknowledged. */
import { BIG, openAgent, type SystemName } from '@checkpoint-inspector/inspector/testing/agents';

const [system, path = '', task = '', from = '0', count = '0'] = process.argv.slice(2);
const agent = await openAgent(system as SystemName, path, task);
for (let step = Number(from); step < Number(from) + Number(count); step++) {
  const id = await agent.save(step, step % 100 === 1 ? 'x'.repeat(BIG) : `step ${step}`);
  process.stdout.write(`${id}\n`);
}
await agent.close();
