import { z } from 'zod';
import type { ExecutionResult, TaskManifest } from '../contracts/index.ts';
import { isInVault, isSamePath } from './absolute-paths.ts';
import { canonicalJson } from './canonical-json.ts';
import { WritError } from './errors.ts';
import { sha256Hex } from './hash.ts';

const Path = z.string().min(1).max(8192);
const MoveOutput = z.object({ result_summary: z.object({ source: Path, destination: Path }), undo_metadata: z.object({ original_path: Path }) });
const DeleteOutput = z.object({ undo_metadata: z.object({ original_path: Path, recovery_path: Path }) });

/** What the undo does: the part of its manifest that depends on what is undone. */
type UndoPlan = Pick<TaskManifest, 'capability_id' | 'inputs' | 'constraints'>;

/** How each capability is taken back (protocol.md section 8); what is missing here cannot be. */
const UNDO_BY_CAPABILITY: ReadonlyMap<string, (manifest: TaskManifest, output: unknown) => UndoPlan> = new Map([
  ['FILE_MOVE', undoMove],
  ['FILE_DELETE', undoDelete],
]);

/**
 * The manifest that takes back a finished task. Every path in it comes from the manifest that the kernel has leased or from
 * the executor's signed result, and the two must agree.
 *
 * @param earlierUndos how often this task was undone before: an undo after a redo is a task of its own
 * @throws WritError WRONG_STATE when the task cannot be undone, INVALID_RESULT when the result does not fit the manifest
 */
export function undoManifest(manifest: TaskManifest, result: ExecutionResult, earlierUndos: number): TaskManifest {
  if (result.status !== 'SUCCESS') throw new WritError('WRONG_STATE', 'only a task that ended in SUCCESS can be undone');
  const plan = UNDO_BY_CAPABILITY.get(manifest.capability_id);
  if (plan === undefined) throw new WritError('WRONG_STATE', `${manifest.capability_id} has no undo`);
  const { capability_id, inputs, constraints } = plan(manifest, result.output);
  const { sensitivity } = manifest.constraints;
  return {
    task_id: `u-${sha256Hex(canonicalJson([manifest.task_id, earlierUndos]))}`,
    capability_id,
    inputs,
    constraints: sensitivity === undefined ? constraints : { ...constraints, sensitivity },
    provenance: { undo_of: manifest.task_id },
  };
}

/** Back to where it came from. When that is the vault, the task had undone a delete: the file is deleted again. */
function undoMove({ inputs, provenance }: TaskManifest, output: unknown): UndoPlan {
  const { result_summary, undo_metadata } = read(MoveOutput, output);
  const { source, destination } = result_summary;
  const fits =
    isSamePath(source, inputs['source_path']) && isSamePath(destination, inputs['destination_path']) && isSamePath(source, undo_metadata.original_path);
  if (!fits) throw doesNotFit();
  if (provenance?.undo_of !== undefined && isInVault(source)) {
    return { capability_id: 'FILE_DELETE', inputs: { source_path: destination }, constraints: { reversible: true } };
  }
  return { capability_id: 'FILE_MOVE', inputs: { source_path: destination, destination_path: source }, constraints: {} };
}

/** Out of the vault, to where it was. */
function undoDelete({ inputs }: TaskManifest, output: unknown): UndoPlan {
  const { original_path, recovery_path } = read(DeleteOutput, output).undo_metadata;
  if (!isSamePath(original_path, inputs['source_path']) || !isInVault(recovery_path)) throw doesNotFit();
  return { capability_id: 'FILE_MOVE', inputs: { source_path: recovery_path, destination_path: original_path }, constraints: {} };
}

function read<Schema extends z.ZodType>(schema: Schema, output: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(output);
  if (!parsed.success) throw new WritError('INVALID_RESULT', `the result has no undo metadata: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
  return parsed.data;
}

function doesNotFit(): WritError {
  return new WritError('INVALID_RESULT', 'the paths of the result are not those of the manifest');
}
