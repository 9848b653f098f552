export { findSecrets, maskSecrets, type SecretSpan } from './mask.ts';
export { secretShapes, type SecretShape } from './shapes.ts';
