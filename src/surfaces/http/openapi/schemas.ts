import { z } from 'zod';
import * as contracts from '../../../contracts/index.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The contracts that have a name of their own in the document. */
export const NAMED = {
  ApprovalList: contracts.ApprovalList,
  ApprovalRequest: contracts.ApprovalRequest,
  ApprovalView: contracts.ApprovalView,
  BulkPlanRetryLine: contracts.BulkPlanRetryLine,
  BulkPlanRetryRequest: contracts.BulkPlanRetryRequest,
  BulkPlanRetrySummary: contracts.BulkPlanRetrySummary,
  BulkReceipt: contracts.BulkReceipt,
  BulkRetryLine: contracts.BulkRetryLine,
  BulkRetryRequest: contracts.BulkRetryRequest,
  BulkRetrySummary: contracts.BulkRetrySummary,
  BulkSummary: contracts.BulkSummary,
  CancelAnswer: contracts.CancelAnswer,
  DryRun: contracts.DryRun,
  ExecutionResult: contracts.ExecutionResult,
  FieldFault: contracts.FieldFault,
  IndexActivity: contracts.IndexActivity,
  IndexReceipt: contracts.IndexReceipt,
  IndexReport: contracts.IndexReport,
  IndexStatus: contracts.IndexStatus,
  IndexTaskEnd: contracts.IndexTaskEnd,
  IngestOp: contracts.IngestOp,
  IngestOutcome: contracts.IngestOutcome,
  IngestReceipt: contracts.IngestReceipt,
  IngestReport: contracts.IngestReport,
  KeySet: contracts.KeySet,
  LeaseAnswer: contracts.LeaseAnswer,
  LeaseRequest: contracts.LeaseRequest,
  MessageSubmission: contracts.MessageSubmission,
  PlanCancelAnswer: contracts.PlanCancelAnswer,
  PlanUndoAnswer: contracts.PlanUndoAnswer,
  PlanUndoStep: contracts.PlanUndoStep,
  PlanEvent: contracts.PlanEvent,
  PlanFilter: contracts.PlanFilter,
  PlanHistory: contracts.PlanHistory,
  PlanLeaseAnswer: contracts.PlanLeaseAnswer,
  PlanLeaseRequest: contracts.PlanLeaseRequest,
  PlanPage: contracts.PlanPage,
  PlanRecord: contracts.PlanRecord,
  PlanResult: contracts.PlanResult,
  PlanRetryAnswer: contracts.PlanRetryAnswer,
  PlanRetryRequest: contracts.PlanRetryRequest,
  PlanStatus: contracts.PlanStatus,
  PlanStepRecord: contracts.PlanStepRecord,
  PlanSubmission: contracts.PlanSubmission,
  PlanSubmitted: contracts.PlanSubmitted,
  Problem: contracts.Problem,
  QueryExplain: contracts.QueryExplain,
  QueueList: contracts.QueueList,
  QueueSwitch: contracts.QueueSwitch,
  QueueView: contracts.QueueView,
  ScheduleDefinition: contracts.ScheduleDefinition,
  ScheduleFiring: contracts.ScheduleFiring,
  ScheduleList: contracts.ScheduleList,
  ScheduleRequest: contracts.ScheduleRequest,
  ScheduleView: contracts.ScheduleView,
  RetryAnswer: contracts.RetryAnswer,
  RetryRequest: contracts.RetryRequest,
  SearchQuery: contracts.SearchQuery,
  SearchResponse: contracts.SearchResponse,
  SearchResult: contracts.SearchResult,
  SessionEnd: contracts.SessionEnd,
  SessionList: contracts.SessionList,
  SessionView: contracts.SessionView,
  NoticeLine: contracts.NoticeLine,
  NoticeList: contracts.NoticeList,
  NoticeResend: contracts.NoticeResend,
  NoticeView: contracts.NoticeView,
  WebhookEndpointView: contracts.WebhookEndpointView,
  WebhookList: contracts.WebhookList,
  WebhookTest: contracts.WebhookTest,
  TaskEvent: contracts.TaskEvent,
  TaskFilter: contracts.TaskFilter,
  TaskManifest: contracts.OfferedManifest,
  TaskPage: contracts.TaskPage,
  TaskReceipt: contracts.TaskReceipt,
  TaskRecord: contracts.TaskRecord,
  TaskSubmission: contracts.TaskSubmission,
  TaskView: contracts.TaskView,
  UndoAnswer: contracts.UndoAnswer,
} satisfies Record<string, z.ZodType>;

export interface SchemaBook {
  /** The schema, or a reference when it has a name. */
  of(schema: z.ZodType): JsonSchema;
  /** `components.schemas`. */
  readonly components: Readonly<Record<string, JsonSchema>>;
}

const PREFIX = '#/components/schemas/';

/** JSON Schemas (draft 2020-12, as OpenAPI 3.1 has them) of the named contracts and of every schema that `others` lists. */
export function schemaBook(others: Iterable<z.ZodType>): SchemaBook {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  let count = 0;
  for (const schema of others) {
    if (registry.has(schema)) continue;
    registry.add(schema, { id: `inline-${count}` });
    count += 1;
  }
  const { schemas } = z.toJSONSchema(registry, { io: 'input', unrepresentable: 'any', uri: (id) => PREFIX + id });
  const shared = Object.entries(schemas[SHARED]?.$defs ?? {}).map(([id, schema]) => [sharedName(id), schema] as const);
  const book = new Map(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
  const resolve = (value: unknown): unknown => inlined(value, book);
  return {
    of(schema) {
      const id = registry.get(schema)?.id ?? '';
      return id in NAMED ? { $ref: PREFIX + id } : (resolve(book.get(id) ?? {}) as JsonSchema);
    },
    components: Object.fromEntries(
      [...Object.keys(NAMED).map((id) => [id, book.get(id)] as const), ...shared].map(([name, schema]) => [name, resolve(schema) as JsonSchema] as const),
    ),
  };
}

/** Where zod puts schemas that refer to themselves; here they are components like the others. */
const SHARED = '__shared';
const IN_SHARED = `${PREFIX}${SHARED}#/$defs/`;

function sharedName(id: string): string {
  return `shared-${id}`;
}

function bare({ $schema, $id, ...schema }: Record<string, unknown>): JsonSchema {
  return schema;
}

/** Schemas without a name of their own stand where they are used. */
function inlined(value: unknown, book: ReadonlyMap<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, book));
  if (typeof value !== 'object' || value === null) return value;
  const reference = '$ref' in value ? value.$ref : undefined;
  if (typeof reference === 'string' && reference.startsWith(IN_SHARED)) return { $ref: PREFIX + sharedName(reference.slice(IN_SHARED.length)) };
  const id = typeof reference === 'string' && reference.startsWith(`${PREFIX}inline-`) ? reference.slice(PREFIX.length) : undefined;
  if (id !== undefined) return inlined(book.get(id), book);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inlined(member, book)]));
}
