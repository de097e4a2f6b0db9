import { type ExecutionResult, SEARCH_OUTPUT, type SearchCapability, type TaskManifest } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { manifestSha256 } from '../../../core/hash.ts';
import type { TaskStatus } from '../../shared/tasks/task-status.ts';
import { isLast, waitForOutcome } from '../../shared/tasks/wait.ts';
import type { Call } from '../command.ts';
import type { CliServices } from '../services.ts';
import { excerpt } from '../text/excerpt.ts';
import { table } from '../text/table.ts';
import { taskStatusText } from '../text/task-status.ts';
import { parseSeconds, parseWhole } from '../text/values.ts';
import { auditedCall } from './audited-call.ts';
import { termsOf } from './terms.ts';

export interface FindFlags {
  readonly max: string;
  readonly ttl?: string;
  readonly timeout: string;
}

/** `writ find`: one search, signed, pushed, awaited and verified. No match is an answer too (exit 0). */
export async function runFind(call: Call, flags: FindFlags, scope: string, query: string): Promise<number> {
  const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const maxResults = parseWhole(flags.max, '--max', { min: 1, max: 1000 });
  const services = await call.services();
  const capability = services.scopes.capabilityOf(scope);
  if (capability === undefined) throw new WritError('INVALID_ARGUMENT', 'the settings name no such scope; `npx writ scopes` lists them', { field: 'scope' });
  const manifest: TaskManifest = {
    task_id: `find-${services.randomId()}`,
    capability_id: capability,
    inputs: { query, target_scope: scope, max_results: maxResults },
    constraints: {},
  };
  await pushSigned(manifest, flags, services);
  const outcome = await verifiedOutcome(call, manifest, timeoutMs, services);
  return outcome.status === 'SUCCESS' ? show(call, outcome.output, capability, query) : refuse(call, outcome.error);
}

async function pushSigned(manifest: TaskManifest, flags: FindFlags, services: CliServices): Promise<void> {
  const terms = termsOf(flags);
  const [kernel, tasks] = await Promise.all([services.kernel(), services.tasks()]);
  const [grant] = await kernel.issue([manifest], terms);
  if (grant === undefined) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel did not answer');
  if (grant.kind === 'refused') throw new WritError(grant.code, grant.message, grant.field === undefined ? {} : { field: grant.field });
  const receipt = await tasks.enqueue.push({ v: 1, manifest, lease: grant.lease });
  if (receipt.kind === 'conflict') throw new WritError('TASK_ID_CONFLICT', `the task_id ${manifest.task_id} is already used for another manifest`);
}

/** @throws WritError TIMEOUT without an outcome, also after Ctrl-C, which cancels the search; INVALID_RESULT when the executor did not sign it */
async function verifiedOutcome(call: Call, manifest: TaskManifest, timeoutMs: number, services: CliServices): Promise<ExecutionResult> {
  const { task_id: taskId, capability_id: capabilityId } = manifest;
  const interrupted = call.interrupted();
  const waited = await waitForOutcome(taskId, await services.tasks(), { timeoutMs, signal: interrupted });
  const status = interrupted.aborted ? await withdrawn(call, waited, manifest, services) : waited;
  if (status.state !== 'finished') {
    const why = interrupted.aborted ? 'a cancel is requested' : 'is a worker running?';
    throw new WritError('TIMEOUT', `no answer to ${taskId} yet (${taskStatusText(status, call.clock.now())}); ${why}`);
  }
  const about = { taskId, capabilityId, manifestSha256: manifestSha256(manifest) };
  if (await (await services.signatures()).verifyResult(status.result, about)) return status.outcome;
  throw new WritError('INVALID_RESULT', `the result of ${taskId} was not signed by an executor key of this data directory: do not trust it`);
}

/** How long an interrupted search is given to end as cancelled, milliseconds. */
const WITHDRAW_MS = 3_000;

/** Nobody waits for the search any more: asks for its cancel, as `writ cancel` would. Answers where it stands then. */
async function withdrawn(call: Call, waited: TaskStatus, { task_id: taskId }: TaskManifest, services: CliServices): Promise<TaskStatus> {
  if (isLast(waited)) return waited;
  const tasks = await services.tasks();
  await auditedCall(call, { action: 'task.cancel', subject: taskId }, () => tasks.ledger.cancel(taskId, call.clock.now()));
  return waitForOutcome(taskId, tasks, { timeoutMs: WITHDRAW_MS, signal: new AbortController().signal });
}

async function refuse(call: Call, { error_code: code, message }: { readonly error_code: string; readonly message: string }): Promise<number> {
  await call.output.line({ error: { code, message } });
  call.output.note(`writ: ${message} (${code})`);
  return 1;
}

const COLUMNS = [{ title: 'id' }, { title: 'field' }, { title: 'match' }] as const;

async function show(call: Call, document: Record<string, unknown>, capability: SearchCapability, query: string): Promise<number> {
  const found = SEARCH_OUTPUT[capability].safeParse(document);
  if (!found.success) throw new WritError('INVALID_RESULT', 'the answer is signed, but is not what a search answers');
  const { results, count } = found.data;
  const rows = results.map(({ id, match_field, match_snippet }) => [id, match_field, excerpt(match_snippet, query)]);
  const total = `${count} ${count === 1 ? 'match' : 'matches'}, ${results.length} shown`;
  await call.output.answer(document, () => (rows.length === 0 ? total : `${table(COLUMNS, rows)}\n${total}`));
  return 0;
}
