import type { ScanErrorCode } from '../../core/ports/index.ts';

/** Ends a scan without a result; `scan.ts` turns it into an answer. The message names nothing outside of the scope. */
export class ScanError extends Error {
  override readonly name = 'ScanError';
  readonly code: ScanErrorCode;

  constructor(code: ScanErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
