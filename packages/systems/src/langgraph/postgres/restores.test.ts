import { describeWithPostgres } from '@checkpoint-inspector/io/testing';
import { applyPlan, undoPlan } from '../../test-executor.ts';
import { describeRestores } from '../test-restores.ts';
import { openSaverStore } from './test-saver.ts';

describeWithPostgres('plans carried out in PostgreSQL', () => {
  describeRestores('LangGraph over PostgreSQL', async () => {
    const { store, saver, close } = await openSaverStore();
    return {
      saver,
      source: store.source,
      apply: async (plan) => {
        const { images } = await applyPlan(plan);
        return () => undoPlan(plan, images);
      },
      close,
    };
  });
});
