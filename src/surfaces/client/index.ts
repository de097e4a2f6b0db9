/** `import { WritClient } from 'writ/client'`: Writ's HTTP API for Node 20 and later, without any other package (docs/client.md). */
export type { BatchLimits } from './batches.ts';
export type { BulkOptions, BulkTotals } from './bulk.ts';
export type { Capabilities, CapabilityId, ConstraintsOf, FileOutput, InputsOf, ManifestOf, OutputOf } from './capabilities.ts';
export { type IssueOptions, type IssuePlanOptions, type LeasesApi, WritClient } from './client.ts';
export type { ContentIndexApi } from './content-index.ts';
export type * from './content-types.ts';
export { WritApiError, WritConnectionError, WritTaskError, WritTimeoutError } from './errors.ts';
export type { EventsOptions } from './events.ts';
export type * from './index-types.ts';
export type * from './message-types.ts';
export type { ChangedMessages, MessagesApi } from './messages.ts';
export type { WritClientOptions } from './options.ts';
export type { ActedOnPlan, PlansApi, SubmitPlanOptions, SubmittedPlan } from './plans.ts';
export type { QueuesApi } from './queues.ts';
export type { RetryManyOptions } from './retry-many.ts';
export type { SearchApi, SearchOptions } from './search-tasks.ts';
export type { Acted, CallOptions, SubmitOptions, Submitted, TasksApi, WaitOptions } from './tasks.ts';
export type * from './types.ts';
