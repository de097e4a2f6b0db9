import type { ApprovalView, NoticeLine, PlanStepRecord, PlanUndoAnswer } from '../../../src/surfaces/client/index.ts';
import type { Endpoint } from './model.ts';

/** Everything that was found in the end, as plain data: nothing in here is believed because a role says so, see `collect.ts`. */
export interface World {
  /** Every file below the base directory, path → content. */
  readonly files: ReadonlyMap<string, string>;
  /** When each of them was last changed, renames too: milliseconds since 1970. */
  readonly changed: ReadonlyMap<string, number>;
  readonly tasks: ReadonlyMap<string, TaskEnd>;
  readonly plans: ReadonlyMap<string, PlanEnd>;
  readonly undos: ReadonlyMap<string, UndoEnd>;
  readonly asked: readonly Heard[];
  readonly taken: readonly Taken[];
  readonly notices: readonly NoticeLine[];
  /** Endpoints whose receivers had senders waiting for their answers, although all was told. */
  readonly unanswered: readonly string[];
  readonly firings: readonly FiringRecord[];
  /** By plan. */
  readonly approvals: ReadonlyMap<string, readonly ApprovalView[]>;
  /** By key: the ids that a search for the word of each message finds in the end. */
  readonly letters: ReadonlyMap<string, readonly number[]>;
  /** What `writ audit verify` says against the log; undefined: whole. */
  readonly auditFault: string | undefined;
  /** Roles that did not end with 0 when they were asked to. */
  readonly undrained: readonly string[];
}

/** The signed end of a task. `unknown`: the executor says that it cannot tell whether it had its effect. */
export interface TaskEnd {
  readonly status: 'SUCCESS' | 'FAILURE' | 'unknown' | 'none';
  readonly says: string;
  /** Whether an executor has signed it for this manifest. */
  readonly signed: boolean;
}

export interface PlanEnd {
  readonly state: string;
  readonly code: string | undefined;
  /** Whether an executor has signed it for this plan. */
  readonly signed: boolean;
  readonly steps: readonly PlanStepRecord[];
}

export interface UndoEnd {
  readonly answer: PlanUndoAnswer;
  /** Ids of the undos that were answered to every asking. */
  readonly ids: readonly string[];
}

/** A request that the provider heard. */
export interface Heard {
  readonly path: string;
  readonly key: string;
  readonly n: string;
  /** What it answered; 0: it hung up. */
  readonly status: number;
  /** When it was heard, milliseconds since 1970. */
  readonly at: number;
}

/** A delivery that a receiver heard. */
export interface Taken {
  readonly endpoint: Endpoint;
  readonly id: string;
  readonly body: string;
  /** Whether the signature is right for these bytes, and the time is near. */
  readonly genuine: boolean;
  /** Whether an executor has signed the result inside for this subject. */
  readonly signed: boolean;
  readonly subject: string;
  readonly type: string;
  /** Of the end, as the notice says. */
  readonly timestamp: string;
  /** What the receiver answered; 0: nothing. */
  readonly status: number;
  /** Of a task. */
  readonly capability: string;
  /** The result inside. */
  readonly result: string;
}

/** A row of the kernel's store. */
export interface FiringRecord {
  readonly id: string;
  readonly schedule: string;
  /** Minutes since 1970. */
  readonly planned: number;
  readonly state: string;
  readonly detail: string | undefined;
}
