/** `checkpoint-inspector/testing`: the conformance suites. They call `describe` and `it` of vitest, a peer dependency. */
export { applyRows, describeSource, describeStore, describeSystem } from '@checkpoint-inspector/core/testing';
export type {
  Opened,
  OpenedStore,
  OpenedSystem,
  Skip,
  SourceFacts,
  SourceSuite,
  StoreSuite,
  SystemSuite,
  TaskFacts,
} from '@checkpoint-inspector/core/testing';
