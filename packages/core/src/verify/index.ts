export { verifySource, type VerifyFinding, type VerifyReport } from './verify.ts';
