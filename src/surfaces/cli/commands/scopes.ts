import { type ExecutionResult, SEARCH_OUTPUT, type SearchCapability, type TaskManifest } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { ScopeState } from '../../../core/ports/search-scopes.ts';
import { whyNothingCame } from '../../shared/queues.ts';
import type { TaskStatus } from '../../shared/tasks/task-status.ts';
import { auditedCommand, type CommandContext, command, type Registrar } from '../command.ts';
import { toldOfPause } from '../paused-watch.ts';
import type { CliServices } from '../services.ts';
import { table } from '../text/table.ts';
import { taskStatusText } from '../text/task-status.ts';
import { parseLeaseTerms, parseSeconds, parseWhole } from '../text/values.ts';

const EXAMPLES = `
The query is looked for literally, case-sensitive. The search is a task like any other: signed by the kernel, run by a worker.

Examples:
  writ find workspace report             names of files that contain "report"
  writ find inbox 'invoice 42' --max 5   the five that were received first
  writ find customers -- -1              a query that begins with "-"`;

export const register: Registrar = (program, deps, exit) => {
  program
    .command('find <scope> <query>')
    .description('search a scope, verify the signed answer and show it')
    .option('--max <n>', 'show at most so many results (1 to 1000)', '20')
    .option('--ttl <time>', 'life of the lease, e.g. 15m')
    .option('--timeout <time>', 'give up when there is no answer after so long', '60s')
    .addHelpText('after', EXAMPLES)
    .action(command<[string, string], FindFlags>(deps, exit, runFind));
  program
    .command('scopes')
    .description('what may be searched, and whether it can be opened now')
    .addHelpText('after', '\nOpens every scope for a moment, mail servers too; reads nothing in them. Exits 0 also when one cannot be opened.')
    .action(command<[], Record<never, never>>(deps, exit, runScopes));
};

interface FindFlags {
  readonly max: string;
  readonly ttl?: string;
  readonly timeout: string;
}

/** `writ find`: one search, signed, pushed, awaited and verified. No match is an answer too (exit 0). */
async function runFind(context: CommandContext, flags: FindFlags, scope: string, query: string): Promise<number> {
  const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const maxResults = parseWhole(flags.max, '--max', { min: 1, max: 1000 });
  const services = await context.services();
  const capability = services.scopes.capabilityOf(scope);
  if (capability === undefined) throw new WritError('INVALID_ARGUMENT', 'the settings name no such scope; `writ scopes` lists them', { field: 'scope' });
  const manifest: TaskManifest = {
    task_id: `find-${services.randomId()}`,
    capability_id: capability,
    inputs: { query, target_scope: scope, max_results: maxResults },
    constraints: {},
  };
  await pushSigned(manifest, flags, services);
  const outcome = await verifiedOutcome(context, manifest, timeoutMs, services);
  return outcome.status === 'SUCCESS' ? show(context, outcome.output, capability, query) : refuse(context, outcome.error);
}

async function pushSigned(manifest: TaskManifest, flags: FindFlags, services: CliServices): Promise<void> {
  const terms = parseLeaseTerms(flags);
  const [kernel, tasks] = await Promise.all([services.kernel(), services.tasks()]);
  const [grant] = await kernel.issue([manifest], terms);
  if (grant === undefined) throw new WritError('KERNEL_UNAVAILABLE', 'the kernel did not answer');
  if (grant.kind === 'refused') throw new WritError(grant.code, grant.message, grant.field === undefined ? {} : { field: grant.field });
  const receipt = await tasks.enqueue.push({ v: 1, manifest, lease: grant.lease });
  if (receipt.kind === 'conflict') throw new WritError('TASK_ID_CONFLICT', `the task_id ${manifest.task_id} is already used for another manifest`);
}

/** @throws WritError TIMEOUT without an outcome, also after Ctrl-C, which cancels the search; INVALID_RESULT when the executor did not sign it */
async function verifiedOutcome(context: CommandContext, manifest: TaskManifest, timeoutMs: number, services: CliServices): Promise<ExecutionResult> {
  const { manifestSha256 } = await import('../../../core/hash.ts');
  const { unprovenTask } = await import('../../shared/tasks/task-id.ts');
  const { waitForOutcome } = await import('../../shared/tasks/task-status.ts');
  const { task_id: taskId, capability_id: capabilityId } = manifest;
  const interrupted = context.interrupted();
  const waited = await toldOfPause(context, taskId, waitForOutcome(taskId, await services.tasks(), { timeoutMs, signal: interrupted }));
  const status = interrupted.aborted ? await withdrawn(context, waited, manifest, services) : waited;
  if (status.state === 'unproven') throw unprovenTask(taskId);
  if (status.state !== 'finished') {
    const why = interrupted.aborted ? 'a cancel is requested' : await whyNothingCame(services.queues);
    throw new WritError('TIMEOUT', `no answer to ${taskId} yet (${taskStatusText(status, context.clock.now())}); ${why}`);
  }
  const about = { taskId, capabilityId, manifestSha256: manifestSha256(manifest) };
  if (await (await services.signatures()).verifyResult(status.result, about)) return status.outcome;
  throw new WritError('INVALID_RESULT', `the result of ${taskId} was not signed by an executor key of this data directory: do not trust it`);
}

/** How long an interrupted search is given to end as cancelled, milliseconds. */
const WITHDRAW_MS = 3_000;

/** Nobody waits for the search any more: asks for its cancel, as `writ cancel` would. Answers where it stands then. */
async function withdrawn(context: CommandContext, waited: TaskStatus, { task_id: taskId }: TaskManifest, services: CliServices): Promise<TaskStatus> {
  const { isLast, waitForOutcome } = await import('../../shared/tasks/task-status.ts');
  if (isLast(waited)) return waited;
  const tasks = await services.tasks();
  await auditedCommand(context, { action: 'task.cancel', subject: taskId }, () => tasks.ledger.cancel(taskId, context.clock.now()));
  return waitForOutcome(taskId, tasks, { timeoutMs: WITHDRAW_MS, signal: new AbortController().signal });
}

async function refuse(context: CommandContext, { error_code: code, message }: { readonly error_code: string; readonly message: string }): Promise<number> {
  await context.output.line({ error: { code, message } });
  context.output.note(`writ: ${message} (${code})`);
  return 1;
}

const RESULT_COLUMNS = [{ title: 'id' }, { title: 'field' }, { title: 'match' }] as const;

async function show(context: CommandContext, document: Record<string, unknown>, capability: SearchCapability, query: string): Promise<number> {
  const { excerpt } = await import('../text/excerpt.ts');
  const found = SEARCH_OUTPUT[capability].safeParse(document);
  if (!found.success) throw new WritError('INVALID_RESULT', 'the answer is signed, but is not what a search answers');
  const { results, count } = found.data;
  const rows = results.map(({ id, match_field, match_snippet }) => [id, match_field, excerpt(match_snippet, query)]);
  const total = `${count} ${count === 1 ? 'match' : 'matches'}, ${results.length} shown`;
  await context.output.answer(document, () => (rows.length === 0 ? total : `${table(RESULT_COLUMNS, rows)}\n${total}`));
  return 0;
}

/** `writ scopes`: the allow-list of searches. What cannot be opened is said, and is no error of this command. */
async function runScopes(context: CommandContext): Promise<number> {
  const scopes = await (await context.services()).scopes.look();
  await context.output.answer({ scopes: scopes.map(lineOf) }, () => (scopes.length === 0 ? NONE : table(SCOPE_COLUMNS, scopes.map(rowOf))));
  return 0;
}

const NONE = 'no scopes, so every search is refused; docs/search-executor.md shows how to add one';

const SCOPE_COLUMNS = [{ title: 'scope' }, { title: 'searched by' }, { title: 'source' }, { title: 'place' }, { title: 'available' }] as const;

function rowOf({ id, capability, source, place, problem }: ScopeState): string[] {
  return [id, capability, source, place, problem === undefined ? 'yes' : `NO: ${problem}`];
}

function lineOf({ id, kind, capability, source, place, problem }: ScopeState): object {
  return { id, kind, capability_id: capability, source, place, available: problem === undefined, ...(problem === undefined ? {} : { problem }) };
}
