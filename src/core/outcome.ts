import type { ResultErrorCode } from '../contracts/index.ts';
import type { JsonObject } from './json.ts';

/** What an executor answers. It is a value: an exception out of an executor is a crash, never an answer. */
export type Outcome =
  | { readonly status: 'SUCCESS'; readonly output: JsonObject; readonly error: null }
  | { readonly status: 'FAILURE'; readonly output: null; readonly error: { readonly error_code: ResultErrorCode; readonly message: string } };

/** Why a handler was told to stop. Only `cancelled` and `timeout` become outcomes; the others record nothing. */
export type StopReason = 'cancelled' | 'timeout' | 'lock-lost' | 'shutdown';

/**
 * The end of one run of an executor.
 * `interrupted`: lock loss or shutdown, nothing is recorded and the job runs again.
 * `busy`: another process may still act on this task; come back later.
 */
export type Execution =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'interrupted'; readonly reason: 'lock-lost' | 'shutdown' }
  | { readonly kind: 'busy'; readonly why: string };

/** What a task is answered that was cancelled before it began; a plan knows its own steps by it. */
export const CANCELLED_MESSAGE = 'cancelled';

/** Whether a failure says that the task was cancelled before it began. */
export function isCancelled({ error_code: code, message }: { readonly error_code: string; readonly message: string }): boolean {
  return code === 'EXECUTION_FAILED' && message === CANCELLED_MESSAGE;
}

/** The longest time that a tool's wish to be left alone is followed, seconds. */
const MAX_ASKED_S = 3_600;
const ASKED = /; retry after (\d{1,4}) s$/;

/** The sentence of a failure whose tool asks to be left alone for so many seconds; a result has no other place for it. */
export function withRetryAfter(message: string, seconds: number): string {
  return `${message}; retry after ${Math.min(MAX_ASKED_S, Math.ceil(seconds))} s`;
}

/** Milliseconds that the sentence of a failure asks to wait; 0 when it asks for nothing. */
export function retryAfterMs(message: string): number {
  return Math.min(MAX_ASKED_S, Number(ASKED.exec(message)?.[1] ?? 0)) * 1000;
}

/** How many bytes an output has in a result (canonical JSON has the same length); a result has room for `BOUNDS.output`. */
export function outputBytes(output: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(output));
}

export function success(output: JsonObject): Outcome {
  return { status: 'SUCCESS', output, error: null };
}

export function failure(error_code: ResultErrorCode, message: string): Outcome {
  return { status: 'FAILURE', output: null, error: { error_code, message } };
}
