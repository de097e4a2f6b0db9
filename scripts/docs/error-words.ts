import type { ResultErrorCode } from '../../src/contracts/index.ts';
import type { ErrorCode } from '../../src/core/errors.ts';

/** Who can mend what a code tells of. */
export type Mender = 'producer' | 'operator' | 'producer or operator' | 'nobody needs to' | 'us';

/** What docs/generated/errors.md says of a code beside the figures of the tables in the product. */
export interface ErrorWords {
  readonly meaning: string;
  readonly who: Mender;
  /** What to do. */
  readonly mend: string;
}

/** Codes of refused requests and commands; every code of `src/core/errors.ts` has its line. */
export const REQUEST_ERRORS = {
  INVALID_MANIFEST: {
    meaning: 'The task, plan or job does not have the shape of its contract. Nothing was recorded.',
    who: 'producer',
    mend: 'Mend the field that `field` names; the schemas lie in `contracts/`.',
  },
  INVALID_CONFIG: {
    meaning: 'A setting, a key file or a definition on this host cannot be used.',
    who: 'operator',
    mend: 'The message names the key and its place; [configuration.md](configuration.md) lists every setting, `writ doctor` shows where each value came from.',
  },
  INVALID_ARGUMENT: {
    meaning: 'A flag, a parameter, a header or a body is not one that the command or route knows.',
    who: 'producer',
    mend: 'Mend what `field` names; `--help` and `/openapi.json` say what is accepted.',
  },
  BadArgs: {
    meaning: 'A content search was asked for something that it does not take: a bad pattern, a path outside of the allowed roots, a limit out of range.',
    who: 'producer',
    mend: 'Mend what `field` names ([content-search.md](../content-search.md)).',
  },
  ExecutionFailed: {
    meaning: 'A content search was well asked for and could not be done: the place is not there, or no backend is installed.',
    who: 'producer or operator',
    mend: 'Look at the path first, then at `writ doctor`, which names the backends.',
  },
  SEARCH_NOT_ALLOWED: {
    meaning: 'Content search is switched off on this server, or no root is allowed.',
    who: 'operator',
    mend: 'Add the lines that the message has to `writ.toml` and start again.',
  },
  INVALID_LEASE: {
    meaning: 'The lease is damaged, revoked, from a key that is not trusted, or for another task, queue or manifest.',
    who: 'producer',
    mend: 'Ask the kernel for a lease over exactly the manifest that is sent ([leases.md](../leases.md)).',
  },
  LEASE_EXPIRED: {
    meaning: 'The lease has ended.',
    who: 'producer',
    mend: 'Ask for a new lease, or `writ retry <task_id> --regrant`, `writ plan retry <plan_id> --regrant`.',
  },
  LEASE_REFUSED: {
    meaning: 'The kernel does not sign this: its key may not serve the capability, or a rule of the manifest is broken.',
    who: 'producer or operator',
    mend: 'The message names the rule. What a key may sign is in its keyring (`writ:capabilities`).',
  },
  HRC_REQUIRED: {
    meaning: 'The manifest asks for the confirmation of a person, and none is recorded.',
    who: 'producer',
    mend: 'Have a person confirm it when the lease is issued: `--confirmed-by <person>`, or `confirmed_by` over HTTP ([leases.md](../leases.md)).',
  },
  TASK_ID_CONFLICT: {
    meaning: 'The `task_id` belongs to another manifest already.',
    who: 'producer',
    mend: 'Take a new `task_id` for new bytes; send the same bytes to get the old answer.',
  },
  UNAUTHORIZED: {
    meaning: 'There is no valid API key and no session.',
    who: 'producer',
    mend: 'Send `Authorization: Bearer <key>`; `writ key create` makes keys.',
  },
  FORBIDDEN: { meaning: 'The key is good and lacks a role.', who: 'operator', mend: 'The message names the role; make a key that has it.' },
  HOST_NOT_ALLOWED: {
    meaning: 'The `Host` header names no host of this server.',
    who: 'operator',
    mend: 'Add the name to `http.allowed_hosts`, or use the name that the server knows.',
  },
  ORIGIN_NOT_ALLOWED: {
    meaning: 'A page of another origin asked for a change.',
    who: 'producer',
    mend: 'Ask from a page of this server, or from a program without an `Origin` header.',
  },
  NOT_FOUND: {
    meaning: 'There is no such task, plan, key, route or place.',
    who: 'producer',
    mend: 'Look at the id; answers of searches are forgotten with Redis, those of file tasks are not.',
  },
  METHOD_NOT_ALLOWED: { meaning: 'The path exists and does not take this method.', who: 'producer', mend: 'The `Allow` header has the methods.' },
  REQUEST_TIMEOUT: {
    meaning: 'The request came too slowly.',
    who: 'producer',
    mend: 'Send it again; a push may be repeated. `http.request_timeout_s` is the limit.',
  },
  BODY_TOO_LARGE: {
    meaning: 'The body is larger than `http.max_body_bytes`.',
    who: 'producer',
    mend: 'Send less, or a stream of NDJSON, where only lines have a limit.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'The body is not JSON (or NDJSON, or a form, where the route says so), or it is compressed.',
    who: 'producer',
    mend: 'Set `Content-Type`, and send no `Content-Encoding`.',
  },
  RATE_LIMITED: {
    meaning: 'Too many requests of one key or address, or too many open streams.',
    who: 'producer',
    mend: 'Come back after `Retry-After`; `http.rate_limit` is the limit.',
  },
  WRONG_STATE: {
    meaning: 'The operation does not fit the state: an undo of what did not succeed, a cancel that came too late.',
    who: 'producer',
    mend: 'Look at the task or plan first; the message says what stands in the way.',
  },
  INVALID_RESULT: {
    meaning: 'A stored answer does not carry a valid signature of a trusted executor.',
    who: 'operator',
    mend: 'Somebody wrote to Redis, or a result key left the keyring too early. Look for who, before you act on any answer.',
  },
  KERNEL_UNAVAILABLE: {
    meaning: 'The kernel, which signs leases, does not answer.',
    who: 'operator',
    mend: 'Start it (`writ kernel`, or everything with `writ up`) and send again.',
  },
  API_UNAVAILABLE: {
    meaning: 'The HTTP API of this data directory, which keeps the task index and knows who is logged in, does not answer a command.',
    who: 'operator',
    mend: 'Start it (`writ api`, or everything with `writ up`) and run the command again.',
  },
  REDIS_UNAVAILABLE: {
    meaning: 'Redis cannot be reached, refuses the password, or too few replicas have the write.',
    who: 'operator',
    mend: 'See that it runs and that `redis.url` is right ([WritRedisUnreadable](../runbooks/WritRedisUnreadable.md)); a push may be repeated.',
  },
  REDIS_TLS: {
    meaning: 'The encrypted connection to Redis fails.',
    who: 'operator',
    mend: 'The message names the cause; the files are those of `[redis.tls]` ([security.md](../security.md)).',
  },
  REDIS_POLICY: {
    meaning: 'Redis may evict keys, or is a Sentinel: Writ does not start on such a server.',
    who: 'operator',
    mend: 'Set `maxmemory-policy noeviction` ([WritRedisPolicy](../runbooks/WritRedisPolicy.md)), or name a server of data ([scaling.md](../scaling.md#redis-sentinel)).',
  },
  PACKAGE_MISSING: {
    meaning: 'What was asked for needs packages that are not installed with Writ, because few want them.',
    who: 'operator',
    mend: 'Run the command of the message where Writ is installed ([operations.md](../operations.md#optional-packages)), or switch off what wants them.',
  },
  REDIS_FULL: {
    meaning: 'The memory of Redis is above its high-water mark. New work is refused, nothing is evicted.',
    who: 'operator',
    mend: 'Wait until tasks end, or give memory ([WritRedisMemory](../runbooks/WritRedisMemory.md)); then send again.',
  },
  POOL_OWNED: {
    meaning: 'Another process, or another data directory, serves this already: the pool, the kernel store, the task index or an index.',
    who: 'operator',
    mend: 'End the other one, or give this one a data directory and a pool of its own.',
  },
  PLATFORM_UNSUPPORTED: {
    meaning: 'This host cannot do it: not Linux, a C library without the call, or a socket path that is too long.',
    who: 'operator',
    mend: 'The message names what is missing; a shorter data directory mends the last one.',
  },
  STORAGE_UNAVAILABLE: {
    meaning: 'A file or database of the data directory cannot be read or written.',
    who: 'operator',
    mend: 'Look at the disk and at the permissions with `writ doctor`; then send again.',
  },
  INDEX_UNAVAILABLE: {
    meaning: 'No index host runs. Searches give the same answers without it, only slower.',
    who: 'operator',
    mend: 'Start `writ index-host` ([WritIndexHostDown](../runbooks/WritIndexHostDown.md)).',
  },
  TIMEOUT: {
    meaning: 'There was no answer in time. The work goes on.',
    who: 'nobody needs to',
    mend: 'Ask again with `writ result <task_id>`; `writ status` shows whether a worker runs.',
  },
  INTERNAL: {
    meaning: 'Something that nobody foresaw.',
    who: 'us',
    mend: 'The log has the rest, under `instance` where the answer names one. Please report it.',
  },
} satisfies Record<ErrorCode, ErrorWords>;

/** Codes of signed answers; every code of `src/contracts/error-code.ts` has its line. */
export const RESULT_ERRORS = {
  UNSUPPORTED_CAPABILITY: {
    meaning: 'No executor of this queue serves the capability.',
    who: 'producer',
    mend: 'Look at `capability_id`, and at the queue for a job that was pushed by hand.',
  },
  INVALID_LEASE: {
    meaning: 'The lease does not verify, was revoked, or is for other bytes or another queue.',
    who: 'producer',
    mend: 'Ask for a lease over exactly this manifest ([leases.md](../leases.md)).',
  },
  LEASE_EXPIRED: {
    meaning: 'The lease had ended before the effect could begin. Nothing was done.',
    who: 'producer',
    mend: 'Send again with a new lease, or `writ retry <task_id> --regrant`.',
  },
  EXECUTION_FAILED: {
    meaning:
      'The work could not be done; the message says which rule was broken: no such file, the destination exists, cancelled, another manifest of this id.',
    who: 'producer or operator',
    mend: 'Mend the cause, then `writ retry <task_id>` ([file-executor.md](../file-executor.md)).',
  },
  RESOURCE_EXHAUSTED: {
    meaning: 'A limit was reached: time, memory, size, room on the disk or in the vault, takeovers.',
    who: 'operator',
    mend: 'The message names the limit; raise it or make room, then retry.',
  },
  INVALID_QUERY: {
    meaning: 'The inputs of a search are not what its capability takes.',
    who: 'producer',
    mend: 'Mend the inputs; `contracts/*.inputs.schema.json` has them.',
  },
  SCOPE_NOT_ALLOWED: {
    meaning: 'There is no such scope, or it is of another kind, or the manifest narrows it away.',
    who: 'producer or operator',
    mend: '`writ scopes` shows the scopes of this host; `[search.scopes]` adds one.',
  },
  SCOPE_UNAVAILABLE: {
    meaning: 'The scope is allowed and cannot be read now: a directory that is gone, a mail server that refuses.',
    who: 'operator',
    mend: 'Mend the source, then retry.',
  },
  TOOL_FAILED: {
    meaning: 'The tool said that it failed, or could not be reached.',
    who: 'producer or operator',
    mend: 'Look at the message, which has what the tool said; then retry.',
  },
  TOOL_UNAVAILABLE: {
    meaning: "The tool or its operation has no binding on the worker's host, or a secret or certificate is missing.",
    who: 'operator',
    mend: 'Add the binding ([tools.md](../tools.md)), then retry.',
  },
  TOOL_OUTCOME_UNKNOWN: {
    meaning: 'A request that may be sent only once was sent, and nobody can tell what became of it.',
    who: 'operator',
    mend: 'Ask the tool what it did. It is never sent again by itself; a new lease, or a retry of the plan, does.',
  },
  APPROVAL_DENIED: {
    meaning: 'A step asked for approval, and somebody with its role said no; the message has who, when and why.',
    who: 'producer',
    mend: 'Talk to them; `writ plan retry` asks anew ([plans.md](../plans.md#approvals)).',
  },
  APPROVAL_EXPIRED: {
    meaning: 'A step asked for approval, and nobody with its role answered before its deadline.',
    who: 'producer or operator',
    mend: '`writ plan retry` asks anew, with a deadline of its own.',
  },
} satisfies Record<ResultErrorCode, ErrorWords>;
