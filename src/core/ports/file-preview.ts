import type { FieldProblem } from '../errors.ts';
import type { FileOperation } from './journal.ts';

/** What a file task would find now. */
export interface FilePreview {
  readonly operation?: FileOperation;
  /** Normalized. */
  readonly source?: string;
  readonly destination?: string;
  /** Size of the source. */
  readonly bytes?: number;
  /** What stands in the way, by the fields of the manifest. */
  readonly problems: readonly FieldProblem[];
}
