import { onDemand } from '../../components/index.ts';

/** Only the demo has it; its room is kept while it comes. */
export const ShowAround = onDemand(
  async () => (await import('./ShowAround.tsx')).ShowAround,
  <div className="show-around" />,
);
