import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ENCRYPTED = resolve(import.meta.dirname, '../../packages/systems/src/kaizen/fixtures/enc');
const READABLE = 2_998;

/** 2,998 checkpoints that repeat each other, one that is locked and two that are torn. */
export function seedFolder(folder: string): string {
  const store = join(folder, 'checkpoints');
  mkdirSync(store);
  for (let n = 1; n <= READABLE; n++) {
    const id = `ckpt_${String(n).padStart(12, '0')}`;
    const revenue = { CompanyA: 5.1, CompanyB: n === 1_500 ? 4_200 : 4.2 };
    const file = {
      checkpoint_id: id,
      agent_id: 'researcher',
      model: 'm',
      timestamp: new Date(1_750_000_000_000 + n * 1_000).toISOString().replace('Z', '+00:00'),
      step_number: n,
      conversation_history: [{ role: 'user', content: 'Rank A, B and C by revenue' }],
      memory_contents: { context: { revenue }, round: `round ${n}` },
      pending_actions: [],
      completed_actions: [],
      parent_checkpoint_id: null,
      status: 'running',
      metadata: {},
    };
    writeFileSync(join(store, `${id}.jsonl`), `${JSON.stringify(file)}\n`);
  }
  const [locked = ''] = readdirSync(ENCRYPTED).filter((name) => name.endsWith('.enc.jsonl'));
  copyFileSync(join(ENCRYPTED, locked), join(store, locked));
  writeFileSync(join(store, 'ckpt_00000000torn.jsonl'), '{"checkpoint_id": "ckpt_00000000torn", "agent_id": "re');
  writeFileSync(join(store, 'ckpt_0000000empty.jsonl'), '');
  return store;
}
