/** Only trees and lanes need it, and the list of tasks is there without it. */
export { decodeLineage } from '@checkpoint-inspector/core';
