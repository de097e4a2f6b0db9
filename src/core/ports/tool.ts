import type { JsonObject } from '../json.ts';
import type { Authority, FinishedTask, TrimAnswer, TrimmedTask } from './executor.ts';

/** What a repeated request does: nothing, nothing more, or harm. */
export type ToolEffectClass = 'none' | 'idempotent' | 'once';

/** One call of a tool. */
export interface ToolRequest {
  /** Also the Idempotency-Key. */
  readonly taskId: string;
  readonly operation: string;
  readonly params: JsonObject;
}

/**
 * How a request ended. `failed`: the tool answered that it failed. `unsent`: nothing of it left this host. `unclear`: it
 * was sent, and there is no answer that could be used. Messages hold no secret and no address.
 */
export type ToolAnswer =
  | { readonly kind: 'ok'; readonly data: JsonObject; readonly meta?: JsonObject }
  | { readonly kind: 'failed' | 'unsent' | 'unclear'; readonly message: string };

/** A request that is ready to leave, or why it cannot. `unfit`: the caller's parameters do not fit the binding. `unavailable`: this host is not set up for it. */
export type PreparedRequest =
  | {
      readonly kind: 'ready';
      /**
       * At most once. Never rejects; an abort ends it soon with `unsent` or `unclear`. The tool is told `traceparent` when
       * there is one.
       */
      send(signal: AbortSignal, traceparent?: string): Promise<ToolAnswer>;
    }
  | { readonly kind: 'unfit' | 'unsent' | 'unavailable'; readonly message: string };

/** The way to one bound tool. */
export interface ToolAdapter {
  /** Everything that can go wrong before the tool hears of the call: parameters, secrets, addresses, connections. Never rejects. */
  prepare(request: ToolRequest, signal: AbortSignal): Promise<PreparedRequest>;
}

/** A tool that is bound on this host. */
export interface BoundTool {
  /** Wall-clock limit of one call, milliseconds. */
  readonly timeoutMs: number;
  /** Its operations. */
  readonly effects: ReadonlyMap<string, ToolEffectClass>;
  readonly adapter: ToolAdapter;
}

/** Written before the request of a `once` action. */
export interface ToolIntent {
  readonly taskId: string;
  readonly manifestSha256: string;
  readonly authority: Authority;
  readonly tool: string;
  readonly operation: string;
}

export interface ToolJournalView {
  readonly open: { readonly n: number; readonly manifestSha256: string } | undefined;
  readonly success: { readonly manifestSha256: string; readonly result: string } | undefined;
  /** The last failed attempt whose request was sent. */
  readonly sent: { readonly manifestSha256: string; readonly jti: string; readonly result: string } | undefined;
  /** A request was sent that must not be sent again, and its attempts were trimmed. */
  readonly trimmed: TrimmedTask | undefined;
}

/** `sent`: the request of this failure was sent, so the same lease never sends another one. */
export interface ToolEnd {
  readonly state: 'success' | 'failure';
  readonly sent: boolean;
  readonly result: string;
}

/** The host's memory of `once` requests. What resolves is on disk. Throws WritError STORAGE_UNAVAILABLE. */
export interface ToolJournal {
  view(taskId: string): Promise<ToolJournalView>;
  /** `conflict`: an attempt is open or has succeeded, trimmed or not. `spent`: a request was sent under this very lease. */
  open(intent: ToolIntent, now: number): Promise<{ readonly kind: 'opened'; readonly n: number } | { readonly kind: 'conflict' } | { readonly kind: 'spent' }>;
  /** Nothing was sent: the attempt counts for nothing. A no-op when it is not open any more. */
  withdraw(taskId: string, n: number, now: number): Promise<void>;
  /** Throws WritError WRONG_STATE when the attempt is not open any more. */
  close(taskId: string, n: number, end: ToolEnd, now: number): Promise<void>;
  /** Ordered by task id; `after` is the last task id of the page before. */
  successes(after: string | undefined, limit: number): Promise<readonly FinishedTask[]>;
  counts(): Promise<{ readonly open: number; readonly success: number; readonly failure: number }>;
  /** As `FileJournal.trim`. */
  trim(after: number, before: number, limit: number): Promise<TrimAnswer>;
}
