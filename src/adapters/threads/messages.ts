import type { ErrorCode } from '../../core/errors.ts';

/** The calls that a thread answers, by name: typed once, for both sides. The thread may answer with a promise. */
export type Calls<C> = { readonly [K in keyof C]: (...args: never[]) => unknown };

export interface Call {
  readonly id: number;
  readonly op: string;
  readonly args: readonly unknown[];
}

/** What travels to a thread. */
export type ToThread = Call | 'stop';

/** What travels back: an answer or an error for each call, and events that nobody asked for. */
export type FromThread = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: ThrownError } | { readonly event: unknown };

/** What a call has thrown; a class does not survive the way. */
export interface ThrownError {
  /** Of a WritError. */
  readonly code: ErrorCode | undefined;
  readonly field: string | undefined;
  readonly message: string;
}

/** The id of the first answer of a thread, which nobody asks for: that it has opened, or why it cannot. */
export const OPENING = 0;
