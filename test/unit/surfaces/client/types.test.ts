import { describe, expect, it } from 'vitest';
import type * as contract from '../../../../src/contracts/index.ts';
import type * as client from '../../../../src/surfaces/client/index.ts';

/** Writes types out, so that an interface and a mapped type of the same shape read the same. */
type Plain<T> = T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

/** JSON in JSON has no end that could be written out. */
type Flat<Op> = Op extends { op: 'message' } ? Omit<Op, 'attachments'> : Op;

type Names = Extract<keyof Pairs, string>;
interface Pairs {
  Problem: Same<client.Problem, contract.Problem>;
  TaskManifest: Same<client.TaskManifest, contract.TaskManifest>;
  TaskSubmission: Same<client.TaskSubmission, contract.TaskSubmission>;
  ExecutionResult: Same<client.ExecutionResult, contract.ExecutionResult>;
  ResultErrorCode: Same<client.ResultErrorCode, contract.ResultErrorCode>;
  ShownState: Same<client.ShownState, contract.ShownState>;
  TaskReceipt: Same<client.TaskReceipt, contract.TaskReceipt>;
  TaskView: Same<client.TaskView, contract.TaskView>;
  TaskRecord: Same<client.TaskRecord, contract.TaskRecord>;
  TaskPage: Same<client.TaskPage, contract.TaskPage>;
  TaskFilter: Same<client.TaskFilter, contract.TaskFilter>;
  TaskEvent: Same<client.TaskEvent, contract.TaskEvent>;
  LeaseRequest: Same<client.LeaseRequest, contract.LeaseRequest>;
  LeaseAnswer: Same<client.LeaseAnswer, contract.LeaseAnswer>;
  BulkReceipt: Same<client.BulkReceipt, contract.BulkReceipt>;
  BulkSummary: Same<client.BulkSummary, contract.BulkSummary>;
  RetryAnswer: Same<client.RetryAnswer, contract.RetryAnswer>;
  UndoAnswer: Same<client.UndoAnswer, contract.UndoAnswer>;
  CancelAnswer: Same<client.CancelAnswer, contract.CancelAnswer>;
  BulkRetryRequest: Same<client.BulkRetryRequest, contract.BulkRetryRequest>;
  BulkRetryLine: Same<client.BulkRetryLine, contract.BulkRetryLine>;
  BulkRetrySummary: Same<client.BulkRetrySummary, contract.BulkRetrySummary>;
  BulkPlanRetryRequest: Same<client.BulkPlanRetryRequest, contract.BulkPlanRetryRequest>;
  BulkPlanRetryLine: Same<client.BulkPlanRetryLine, contract.BulkPlanRetryLine>;
  BulkPlanRetrySummary: Same<client.BulkPlanRetrySummary, contract.BulkPlanRetrySummary>;
  KeySet: Same<client.KeySet, contract.KeySet>;
  PlanSubmission: Same<client.PlanSubmission, contract.PlanSubmission>;
  ShownPlanState: Same<client.ShownPlanState, contract.ShownPlanState>;
  PlanSubmitted: Same<client.PlanSubmitted, contract.PlanSubmitted>;
  PlanStatus: Same<client.PlanStatus, contract.PlanStatus>;
  PlanResult: Same<client.PlanResult, contract.PlanResult>;
  PlanError: Same<client.PlanError, contract.PlanError>;
  PlanLeaseRequest: Same<client.PlanLeaseRequest, contract.PlanLeaseRequest>;
  PlanLeaseAnswer: Same<client.PlanLeaseAnswer, contract.PlanLeaseAnswer>;
  PlanRetryRequest: Same<client.PlanRetryRequest, contract.PlanRetryRequest>;
  PlanRetryAnswer: Same<client.PlanRetryAnswer, contract.PlanRetryAnswer>;
  PlanCancelAnswer: Same<client.PlanCancelAnswer, contract.PlanCancelAnswer>;
  PlanUndoAnswer: Same<client.PlanUndoAnswer, contract.PlanUndoAnswer>;
  PlanFilter: Same<client.PlanFilter, contract.PlanFilter>;
  PlanHistory: Same<client.PlanHistory, contract.PlanHistory>;
  PlanPage: Same<client.PlanPage, contract.PlanPage>;
  PlanRecord: Same<client.PlanRecord, contract.PlanRecord>;
  PlanStepRecord: Same<client.PlanStepRecord, contract.PlanStepRecord>;
  PlanEvent: Same<client.PlanEvent, contract.PlanEvent>;
  SessionList: Same<client.SessionList, contract.SessionList>;
  SessionEnd: Same<client.SessionEnd, contract.SessionEnd>;
  QueueList: Same<client.QueueList, contract.QueueList>;
  ScheduleDefinition: Same<client.ScheduleDefinition, contract.ScheduleDefinition>;
  ScheduleFiring: Same<client.ScheduleFiring, contract.ScheduleFiring>;
  ApprovalView: Same<client.ApprovalView, contract.ApprovalView>;
  ApprovalList: Same<client.ApprovalList, contract.ApprovalList>;
  ApprovalRequest: Same<client.ApprovalRequest, contract.ApprovalRequest>;
  ScheduleList: Same<client.ScheduleList, contract.ScheduleList>;
  ScheduleRequest: Same<client.ScheduleRequest, contract.ScheduleRequest>;
  ScheduleView: Same<client.ScheduleView, contract.ScheduleView>;
  QueueSwitch: Same<client.QueueSwitch, contract.QueueSwitch>;
  ContentSearchRequest: Same<client.ContentSearchRequest, contract.ContentSearchRequest>;
  ContentSearchAnswer: Same<client.ContentSearchAnswer, contract.ContentSearchAnswer>;
  IndexReport: Same<client.IndexReport, contract.IndexReport>;
  IndexReceipt: Same<client.IndexReceipt, contract.IndexReceipt>;
  MessageSearchQuery: Same<client.MessageSearchQuery, contract.SearchQuery>;
  MessageSearchAnswer: Same<client.MessageSearchAnswer, contract.SearchResponse>;
  MessageOp: Same<Flat<client.MessageOp>, Flat<contract.MessageSubmissionInput['ops'][number]>>;
  MessageReceipt: Same<client.MessageReceipt, contract.IngestReceipt>;
  MessageReport: Same<client.MessageReport, contract.IngestReport>;
  capabilities: Same<client.CapabilityId, contract.CapabilityId>;
}

/** Does not compile when a pair differs: tsc is the test. */
const EQUAL: { readonly [K in Names]: Pairs[K] } & { readonly [K in Names]: true } = {
  Problem: true,
  TaskManifest: true,
  TaskSubmission: true,
  ExecutionResult: true,
  ResultErrorCode: true,
  ShownState: true,
  TaskReceipt: true,
  TaskView: true,
  TaskRecord: true,
  TaskPage: true,
  TaskFilter: true,
  TaskEvent: true,
  LeaseRequest: true,
  LeaseAnswer: true,
  BulkReceipt: true,
  BulkSummary: true,
  RetryAnswer: true,
  UndoAnswer: true,
  CancelAnswer: true,
  BulkRetryRequest: true,
  BulkRetryLine: true,
  BulkRetrySummary: true,
  BulkPlanRetryRequest: true,
  BulkPlanRetryLine: true,
  BulkPlanRetrySummary: true,
  KeySet: true,
  PlanSubmission: true,
  ShownPlanState: true,
  PlanSubmitted: true,
  PlanStatus: true,
  PlanResult: true,
  PlanError: true,
  PlanLeaseRequest: true,
  PlanLeaseAnswer: true,
  PlanRetryRequest: true,
  PlanRetryAnswer: true,
  PlanCancelAnswer: true,
  PlanUndoAnswer: true,
  PlanFilter: true,
  PlanHistory: true,
  PlanPage: true,
  PlanRecord: true,
  PlanStepRecord: true,
  PlanEvent: true,
  SessionList: true,
  SessionEnd: true,
  QueueList: true,
  ScheduleDefinition: true,
  ScheduleFiring: true,
  ApprovalView: true,
  ApprovalList: true,
  ApprovalRequest: true,
  ScheduleList: true,
  ScheduleRequest: true,
  ScheduleView: true,
  QueueSwitch: true,
  ContentSearchRequest: true,
  ContentSearchAnswer: true,
  IndexReport: true,
  IndexReceipt: true,
  MessageSearchQuery: true,
  MessageSearchAnswer: true,
  MessageOp: true,
  MessageReceipt: true,
  MessageReport: true,
  capabilities: true,
};
const NOTICES_A_MISSING_FIELD: Same<{ a: string; b?: string | undefined }, { a: string }> = false;

describe('the types of the client', () => {
  it('are those of the contracts, compared by tsc', () => {
    expect(Object.values(EQUAL).every(Boolean)).toBe(true);
    expect(NOTICES_A_MISSING_FIELD).toBe(false);
  });
});
