import type { Clock } from '../../core/clock.ts';
import type {
  AuditLog,
  IndexService,
  IngestGateway,
  KernelClient,
  MessageSearch,
  PlanGateway,
  QueueControl,
  SignatureReader,
  TaskGateway,
  TaskIndex,
  Webhooks,
} from '../../core/ports/index.ts';
import type { ServerContentSearch } from '../mcp/services.ts';
import type { Caller } from './caller.ts';

/** One finding of the readiness check. */
export interface Readiness {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** What the composition root hands to the HTTP surface. */
export interface HttpServices {
  readonly version: string;
  readonly clock: Clock;
  readonly tasks: TaskGateway;
  /** The same for the tools of `/mcp`, whose pushes are counted apart. */
  readonly toolTasks: TaskGateway;
  readonly plans: PlanGateway;
  readonly queues: QueueControl;
  readonly contentSearch: ServerContentSearch;
  readonly contentIndex: IndexService;
  readonly messages: IngestGateway;
  readonly messageSearch: MessageSearch;
  /** The kernel, asked in the name of the caller. Throws WritError KERNEL_UNAVAILABLE. */
  kernel(caller: Caller): Promise<KernelClient>;
  signatures(): Promise<SignatureReader>;
  /** JWKS that verifies results. */
  resultKeys(): Promise<{ readonly keys: readonly object[] }>;
  readonly index: TaskIndex;
  readonly webhooks: Webhooks;
  readonly audit: AuditLog;
  /** `board.regrant`. */
  readonly regrantByDefault: boolean;
  /** `http.max_wait_s`. */
  readonly maxWaitS: number;
  /** Real checks: a write to Redis, the kernel, the index. */
  ready(): Promise<readonly Readiness[]>;
  /** Logs what is our own fault in a tool, whose caller is not told by a status. */
  report(error: unknown, tool: string): void;
  /** Prometheus text. */
  metrics(): Promise<{ readonly type: string; readonly text: string }>;
}
