export { verifyStores } from './verify.ts';
export type { StoreVerified, Verified } from './verify.ts';
