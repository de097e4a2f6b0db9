import {
  APPROVAL,
  APPROVAL_TOOL,
  ApprovalInputs,
  BOUNDS,
  CAPABILITY_QUEUE,
  ExecutionResult,
  type QueueKind,
  TaskManifest,
  TOOL_CALL,
  type ToolCallInputs,
  UNDO_PERMISSION,
  UNDO_TOOL,
  UndoParam,
} from '../contracts/index.ts';
import { canonicalJson } from './canonical-json.ts';
import { messageOf } from './errors.ts';
import { sha256Hex } from './hash.ts';
import { assertIJson, MAX_JSON_DEPTH } from './i-json.ts';
import type { JsonObject } from './json.ts';
import type { Bindings, PlanCall, PlanToolResult } from './ports/plan.ts';

/** One step of a plan as a task: the same for everybody who looks at the same plan and the same results (docs/plan-protocol.md 2). */
export interface PlanStep {
  readonly path: string;
  readonly tool: string;
  readonly operation: string;
  readonly generation: number;
  readonly manifest: TaskManifest;
  readonly manifestSha256: string;
  /** What the plan's lease must allow: a capability, or `TOOL_CALL:<ref>`. */
  readonly capability: string;
  /** The queue without its pool. */
  readonly queue: QueueKind | `tool-${string}` | undefined;
  /** Why it cannot be a task at all; then there is no queue. */
  readonly problem: string | undefined;
  /** What the call hands to its tool. */
  readonly params: JsonObject;
  /** What it takes back; the kernel looks at the evidence. */
  readonly undo: UndoParam | undefined;
  /** What it asks somebody; such a step is no task, and no queue serves it. */
  readonly approval: ApprovalInputs | undefined;
  /** What else its call declares. */
  readonly terms: CallTerms;
  /** How long after the attempt before it may begin, milliseconds; `undefined` for a first attempt. */
  readonly waitMs: number | undefined;
}

/** Inputs of a TOOL_CALL beside the call itself. */
type CallTerms = Pick<ToolCallInputs, 'timeout_ms' | 'retry_of'>;

/** Whether a text is an executor's answer to this task. */
export type IsAnswerTo = (answer: string, step: Pick<PlanStep, 'manifest' | 'manifestSha256'>) => Promise<boolean>;

const QUEUES: ReadonlyMap<string, QueueKind> = new Map(Object.entries(CAPABILITY_QUEUE));
/** The job around a manifest needs room for the lease and its own fields. */
const MAX_STEP_BYTES = BOUNDS.manifest;
/** job, manifest, inputs, and `params` of a tool. */
const MANIFEST_LEVELS = 4;

const STEP_ID = /^s-[0-9a-f]{64}$/;

/** Whether the task is one that `stepOf` has made: its id stands for one attempt of one place, and has one answer. */
export function isStepOfPlan({ task_id, provenance }: TaskManifest): boolean {
  return provenance?.plan_sha256 !== undefined && STEP_ID.test(task_id);
}

/**
 * The task of a call. Pure: bindings decide only where it goes and, for the adapter `writ`, its form.
 *
 * @param retryOf task id of the first attempt, for a retry
 */
export function stepOf(
  { path, toolInput, retry, timeoutMs }: PlanCall,
  planSha256: string,
  generation: number,
  bindings: Bindings,
  retryOf?: string,
): PlanStep {
  const { ref, operation } = toolInput.tool;
  const deep = depthProblem(toolInput.params);
  const params = deep === undefined ? toolInput.params : {};
  const bound = bindings(ref);
  const writ = bound?.adapter === 'writ';
  const undoes = writ && ref === UNDO_TOOL;
  const asks = writ && ref === APPROVAL_TOOL;
  const undo = undoes ? UndoParam.safeParse(params['undo']).data : undefined;
  const terms: CallTerms = {
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
    ...(retry === undefined || retryOf === undefined ? {} : { retry_of: retryOf }),
  };
  const manifest: TaskManifest = {
    task_id: `s-${sha256Hex(canonicalJson([planSha256, path, generation]))}`,
    ...FORMS[writ ? 'capability' : 'tool'](ref, operation, params, terms),
    provenance: { plan_sha256: planSha256, step: path, ...(undo === undefined ? {} : { undo_of: undo.task_id }) },
  };
  const text = canonicalJson(manifest);
  const queue = bound === undefined ? undefined : bound.adapter === 'writ' ? QUEUES.get(operation) : (`tool-${bound.provider}` as const);
  const unlimited = writ && timeoutMs !== undefined ? `the limits of ${operation} are those of its host: a step cannot set timeout_ms` : undefined;
  const approval = asks && operation === APPROVAL ? ApprovalInputs.safeParse(manifest.inputs).data : undefined;
  const isWhole = (!undoes || undo !== undefined) && (!asks || approval !== undefined);
  const problem =
    queue === undefined && !asks
      ? unboundProblem(ref, operation, writ)
      : (deep ?? unlimited ?? (isWhole ? shapeProblem(manifest, text) : undoes ? NO_UNDO : NO_QUESTION));
  return {
    path,
    tool: ref,
    operation,
    generation,
    manifest,
    manifestSha256: sha256Hex(text),
    capability: asks ? APPROVAL : undoes ? UNDO_PERMISSION : writ ? operation : `TOOL_CALL:${ref}`,
    queue: problem === undefined ? queue : undefined,
    problem,
    params,
    undo,
    approval: problem === undefined ? approval : undefined,
    terms,
    waitMs: retry?.waitMs,
  };
}

/**
 * The capability for which an answer to the step was signed; `undefined` when it is no executor's answer to it. The tool may have been
 * bound in another way when the step was a task, or not at all: then its manifest had the other of the two forms. What was signed counts.
 */
export async function signedCapability(step: PlanStep, answer: string, isAnswerTo: IsAnswerTo): Promise<string | undefined> {
  if (await isAnswerTo(answer, step)) return step.manifest.capability_id;
  const other = otherForm(step);
  return (await isAnswerTo(answer, other)) ? other.manifest.capability_id : undefined;
}

function otherForm({ tool, operation, manifest, params, terms }: PlanStep): Pick<PlanStep, 'manifest' | 'manifestSha256'> {
  const form = manifest.capability_id === TOOL_CALL ? 'capability' : 'tool';
  const { task_id, provenance } = manifest;
  const other: TaskManifest = { task_id, ...FORMS[form](tool, operation, params, terms), ...(provenance === undefined ? {} : { provenance }) };
  return { manifest: other, manifestSha256: sha256Hex(canonicalJson(other)) };
}

type TaskPart = Pick<TaskManifest, 'capability_id' | 'inputs' | 'constraints'>;

/** What a call is as a task: a capability of ours, or a call of a tool. */
const FORMS = {
  capability: (tool, operation, { undo, ...params }) => capabilityTask(operation, tool === UNDO_TOOL || undo === undefined ? params : { ...params, undo }),
  tool: (tool, operation, params, terms) => ({ capability_id: TOOL_CALL, inputs: { tool, operation, params, ...terms }, constraints: {} }),
} satisfies Record<string, (tool: string, operation: string, params: JsonObject, terms: CallTerms) => TaskPart>;

const NO_UNDO = 'params.undo must be {task_id, success}: a finished task and its signed result';

const NO_QUESTION = 'an approval takes role (approve, operate or kernel), question (at most 2,000 characters) and deadline_s (1 to 31,536,000)';

/** Constraints that are none stay among the inputs, where the executor refuses them with its own signed answer. */
function capabilityTask(operation: string, { action: _action, ...params }: JsonObject): TaskPart {
  const { constraints, ...inputs } = params;
  const read = TaskManifest.shape.constraints.safeParse(constraints ?? {});
  return { capability_id: operation, inputs: read.success ? inputs : params, constraints: read.success ? read.data : {} };
}

function unboundProblem(ref: string, operation: string, writ: boolean): string {
  return writ ? `no queue serves ${operation}` : `the tool ${ref} has no binding on this host`;
}

/** A manifest wraps the params in levels of its own. */
function depthProblem(params: JsonObject): string | undefined {
  try {
    assertIJson(params, MAX_JSON_DEPTH - MANIFEST_LEVELS);
    return undefined;
  } catch (error) {
    return `the params cannot travel in a manifest: ${messageOf(error)}`;
  }
}

function shapeProblem(manifest: TaskManifest, text: string): string | undefined {
  const shape = TaskManifest.safeParse(manifest);
  if (!shape.success) return `the step is no manifest: ${shape.error.issues[0]?.path.join('.') ?? ''} ${shape.error.issues[0]?.message ?? ''}`;
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_STEP_BYTES ? `the step has ${bytes} bytes, at most ${MAX_STEP_BYTES} are allowed` : undefined;
}

/** What the plan sees of an executor's answer, which was signed for a task of this capability. */
export function toolResultOf({ manifest }: Pick<PlanStep, 'manifest'>, text: string, capability_id = manifest.capability_id): PlanToolResult {
  const { status, output, error } = ExecutionResult.parse(JSON.parse(text));
  const { task_id } = manifest;
  if (status === 'FAILURE') {
    return { ok: false, data: null, error: { code: error.error_code, message: error.message, details: { task_id, capability_id } } };
  }
  // Output was signed as canonical JSON, so it is JSON.
  const answer = output as JsonObject;
  if (capability_id !== TOOL_CALL) return { ok: true, data: answer, error: null };
  const { data = null, meta } = answer;
  return { ok: true, data: asObject(data), error: null, ...(isObject(meta) ? { meta } : {}) };
}

function asObject(value: JsonObject[string]): JsonObject {
  return isObject(value) ? value : { value };
}

function isObject(value: JsonObject[string] | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
