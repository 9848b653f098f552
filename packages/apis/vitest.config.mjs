export { default } from '@checkpoint-inspector/config/vitest';
