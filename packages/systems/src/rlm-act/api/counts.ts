/**
 * What a clean-up did; also a pair, as the original returns it.
 * @example const [deleted, failed] = await manager.cleanupAll()
 */
export class CleanupCounts {
  /** Files that were removed. */
  readonly deleted: number;
  /** Files that should have been removed and could not be. */
  readonly failed: number;

  constructor(deleted: number, failed: number) {
    this.deleted = deleted;
    this.failed = failed;
  }

  *[Symbol.iterator](): Generator<number, void> {
    yield this.deleted;
    yield this.failed;
  }
}
