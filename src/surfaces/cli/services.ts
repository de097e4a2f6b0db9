import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import type { Check } from '../../core/findings.ts';
import type {
  ApiKeyStore,
  AuditReader,
  BackendKind,
  ContentSearch,
  IndexService,
  IngestGateway,
  KernelClient,
  LoginLinks,
  MessageImporter,
  MessageSearch,
  PatientAuditLog,
  PlanPreview,
  PlanSignatures,
  Plans,
  ProjectOrProduct,
  QueueControl,
  RoleAnswer,
  SearchViewer,
  Setting,
  ShadowQueries,
  ShadowReport,
  SignatureReader,
  SystemStatus,
  TaskGateway,
  Vault,
} from '../../core/ports/index.ts';
import type { ShelfStore } from '../../core/ports/screen-shelf.ts';
import type { ScopeCatalog } from '../../core/ports/search-scopes.ts';
import type { ServerContentSearch } from '../mcp/services.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly dataDir?: string;
  readonly config?: string;
  /** The uppermost layer of settings, by dotted key. */
  readonly set: Readonly<Record<string, string>>;
  readonly json: boolean;
}

/** Where a process meets the world. */
export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Throws WritError NOT_FOUND or INVALID_ARGUMENT. */
  openFile(path: string): Promise<CliInput>;
  /** The current directory, absolute and without links. */
  cwd(): string;
  /** Where a path really lies; itself when that cannot be told. */
  realPath(path: string): string;
  /** Whether stdout is a terminal that shows colours, and nobody wants none. */
  hasColours(): boolean;
}

/** A file or standard input. */
export interface CliInput {
  readonly stream: AsyncIterable<Uint8Array>;
  /** `undefined` for a pipe. */
  readonly bytes: number | undefined;
}

/** What the findings of a doctor are made of. */
export interface Diagnosis {
  readonly settings: readonly Setting[];
  readonly checks: readonly Check[];
}

export interface KeyRequest {
  readonly role: 'kernel' | 'executor';
  /** What the new key may sign; all capabilities unless given. */
  readonly capabilities?: readonly string[];
}

/** A key that was made; the private part stays in its file. */
export interface MadeKey {
  readonly kid: string;
  readonly role: string;
  readonly privateFile: string;
  readonly publicFile: string;
}

/** Who may use the HTTP API of this data directory. */
export interface ApiAccess {
  keys(): Promise<ApiKeyStore>;
  links(): Promise<LoginLinks>;
  /** Where the API of these settings is found from this host: `http://127.0.0.1:8377`. The running API's own word first. Throws WritError WRONG_STATE when it does not run and the port is not fixed. */
  apiUrl(): string;
  /** Where the secret of a key is kept unless somebody says otherwise. Throws WritError INVALID_ARGUMENT for a name that no key may have. */
  secretFile(name: string): string;
  /** Throws WritError INVALID_ARGUMENT when the file is there already, and is not that of a dead key of ours, or its directory is not. */
  assertNew(file: string): Promise<void>;
  /** Writes a secret (0600, durable); replaces what is there. Throws WritError STORAGE_UNAVAILABLE. */
  keepSecret(file: string, secret: string): Promise<void>;
}

/** How commands change the messages. */
export interface MessageIngest {
  readonly gateway: IngestGateway;
  readonly imports: MessageImporter;
}

/**
 * Everything that commands reach. Each part is opened when it is first asked for, so that `lease verify` needs no Redis
 * and `status` no keys.
 */
export interface CliServices extends AsyncDisposable {
  readonly dataDir: string;
  /** How a person calls the program with these settings: `writ --data-dir /srv/writ`. */
  readonly programWords: string;
  /** `lease.max_ttl_s`. */
  readonly maxTtlS: number;
  /** `board.regrant`. */
  readonly regrantByDefault: boolean;
  /** Unlike every other one, safe as a part of a task_id. */
  randomId(): string;
  /** Absolute path of a file below a base directory, for showing. */
  showPath(base: string, segments: readonly string[]): string;
  tasks(): Promise<TaskGateway>;
  /** Throws WritError KERNEL_UNAVAILABLE, here or when it is asked. */
  kernel(): Promise<KernelClient>;
  signatures(): Promise<SignatureReader>;
  status(): Promise<SystemStatus>;
  queues(): Promise<QueueControl>;
  vault(): Promise<Vault>;
  readonly scopes: ScopeCatalog;
  /** Links envelopes with the registries of this host. Throws WritError INVALID_CONFIG for registries with a fault. */
  planPreview(): Promise<PlanPreview>;
  plans(): Promise<Plans>;
  planSignatures(): Promise<PlanSignatures>;
  /** The `Search` tool as servers have it: what the settings allow, in a process of its own. */
  serverSearch(): Promise<ServerContentSearch>;
  /** The messages of this data directory. */
  messageSearch(): Promise<MessageSearch>;
  /** How FTS5 and Tantivy agree on these queries. */
  compareEngines(wish: ShadowQueries): Promise<ShadowReport>;
  /** Projects and products of its messages, for a choice. Throws WritError STORAGE_UNAVAILABLE while there is no database. */
  projectsAndProducts(viewer: SearchViewer): Promise<readonly ProjectOrProduct[]>;
  /** Says before drawing begins that a person sits at the terminal, whatever the environment says of a build server. */
  watched(): void;
  /** What the screen keeps: recipes and past searches. */
  readonly screenShelf: ShelfStore;
  /** The content-search indexes of this pool. */
  contentIndex(): Promise<IndexService>;
  /** The way to the writer of messages, and what imports read. */
  messageIngest(): Promise<MessageIngest>;
  /** Asks the roles that run to read their settings anew, and waits for their answers. Throws WritError WRONG_STATE, STORAGE_UNAVAILABLE. */
  reload(): Promise<readonly RoleAnswer[]>;
  diagnose(): Promise<Diagnosis>;
  /** Writes back to Redis what the journal of this host knows; number of tasks. */
  rebuildLedger(): Promise<number>;
  /** Writes the commented file of settings, unless there is one, and makes the keys that are missing. */
  initialise(): Promise<{
    readonly configFile: string;
    readonly configWritten: boolean;
    readonly keys: readonly MadeKey[];
    /** By the settings as they are now. */
    readonly baseDirectories: readonly string[];
  }>;
  makeKey(request: KeyRequest): Promise<MadeKey>;
  /** Who asks, as the operating system says it. */
  readonly who: string;
  audit(): Promise<PatientAuditLog>;
  auditReader(): AuditReader;
  readonly access: ApiAccess;
}

/** A long-running role; resolves with the exit code when it has stopped. */
export type RoleRunner = (
  options: GlobalOptions,
  flags: { readonly once?: boolean; readonly queues?: readonly string[]; readonly indexHost?: boolean },
) => Promise<number>;

/** What one content search on the command line needs of the tool. */
export interface LocalSearchOptions {
  /** Where relative paths of a request start. */
  readonly workingDirectory: string;
  /** This one and no other. */
  readonly backend: BackendKind | undefined;
  readonly stats: boolean;
  /** Whether the request asks for approximate matching, which not every backend has. */
  readonly fuzzy: boolean;
  /** Directory whose index could serve the search: where the paths of its answer begin. Undefined where no index could. */
  readonly indexed: string | undefined;
}

/** What the composition root hands to the command line. */
export interface CliDeps {
  readonly version: string;
  /** Where the package lies, with what it carries beside the program. */
  readonly packageRoot: string;
  readonly io: CliIo;
  readonly clock: Clock;
  open(options: GlobalOptions): Promise<CliServices>;
  /**
   * The `Search` tool with the rights of the user; it needs no server and no data directory. Throws WritError INVALID_CONFIG;
   * ExecutionFailed when there is no backend.
   */
  openContentSearch(options: GlobalOptions, search: LocalSearchOptions): Promise<ContentSearch>;
  readonly roles: { readonly [Role in 'up' | 'api' | 'worker' | 'kernel' | 'index-host']: RoleRunner };
  /** Aborted when the person asks to stop; from the first call on, Ctrl-C does no longer end the process. */
  interrupted(): AbortSignal;
  /** Aborted when nobody waits for the command any more; absent where that ends the process. */
  readonly gone?: AbortSignal;
}
