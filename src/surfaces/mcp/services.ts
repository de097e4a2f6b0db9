import type { Role } from '../../contracts/index.ts';
import type { Clock } from '../../core/clock.ts';
import type {
  AuditLog,
  ContentSearch,
  IndexService,
  KernelClient,
  MessageSearch,
  PlanGateway,
  QueueControl,
  SearchGrant,
  SignatureReader,
  TaskGateway,
  TaskIndex,
  Webhooks,
} from '../../core/ports/index.ts';

/** Who calls: the key of a request, or the person in whose name the process runs. */
export interface McpCaller {
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
  /** What their key is bound to; absent: nothing is hidden from them. */
  readonly grant?: SearchGrant | undefined;
  /** Whose searches take turns with those of others. */
  readonly account?: string | undefined;
}

/** The `Search` tool of this server. */
export interface ServerContentSearch extends ContentSearch {
  /** Why every content search is refused here, with the lines to add; `undefined` when they are not. */
  readonly refusal: string | undefined;
}

/**
 * What the tools work with, in the name of one caller. Each part is opened when a tool asks for it, so that a search needs
 * no Redis.
 */
export interface McpServices {
  readonly version: string;
  readonly clock: Clock;
  /** The longest wait for an outcome, seconds. */
  readonly maxWaitS: number;
  /** `board.regrant`. */
  readonly regrantByDefault: boolean;
  /** Absent where no API runs. */
  readonly webhooks?: Webhooks;
  /** Absent where no API runs. */
  readonly index?: Pick<TaskIndex, 'list'>;
  tasks(): Promise<TaskGateway>;
  plans(): Promise<Pick<PlanGateway, 'plans' | 'preview' | 'signatures'>>;
  queues(): Promise<QueueControl>;
  contentSearch(): Promise<ServerContentSearch>;
  contentIndex(): Promise<IndexService>;
  messageSearch(): Promise<MessageSearch>;
  /** Throws WritError KERNEL_UNAVAILABLE. */
  kernel(): Promise<KernelClient>;
  signatures(): Promise<SignatureReader>;
  audit(): Promise<AuditLog>;
}
