import type { TaskManifest } from '../../contracts/index.ts';
import { failure, type Outcome } from '../../core/outcome.ts';
import type { FileOperation } from '../../core/ports/index.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import { componentsOf, isWithin, type PathBase, parsePath, type TaskPath } from './paths.ts';

/** What a manifest asks for, judged without looking at any file. */
export interface FileRequest {
  readonly operation: FileOperation;
  readonly source: TaskPath;
  /** A delete has none: the executor chooses the place in the vault. */
  readonly destination: TaskPath | undefined;
  readonly undoOf: string | undefined;
}

interface Shape {
  readonly operation: FileOperation;
  readonly inputs: readonly string[];
  readonly needsReversible: boolean;
  readonly mayUndo: boolean;
}

/** The closed set of file-executor.md 2, and what each asks of a manifest (4.1, 6). */
const SHAPES = new Map<string, Shape>(
  Object.entries({
    FILE_MOVE: { operation: 'move', inputs: ['source_path', 'destination_path'], needsReversible: false, mayUndo: true },
    FILE_COPY: { operation: 'copy', inputs: ['source_path', 'destination_path'], needsReversible: false, mayUndo: false },
    FILE_DELETE: { operation: 'delete', inputs: ['source_path'], needsReversible: true, mayUndo: true },
  } satisfies Record<string, Shape>),
);

/**
 * Judges capability, inputs and constraints of a manifest.
 *
 * @returns the request, or the FAILURE that answers it: `UNSUPPORTED_CAPABILITY`, or `EXECUTION_FAILED` with the broken rule
 */
export function parseRequest(manifest: TaskManifest, bases: readonly PathBase[], capabilities: ReadonlySet<string>): Result<FileRequest, Outcome> {
  const shape = capabilities.has(manifest.capability_id) ? SHAPES.get(manifest.capability_id) : undefined;
  if (!shape) return failed(failure('UNSUPPORTED_CAPABILITY', 'the file executor does FILE_MOVE, FILE_COPY and FILE_DELETE only'));

  const undoOf = manifest.provenance?.undo_of;
  if (undoOf !== undefined && !shape.mayUndo) return no('provenance.undo_of: a copy takes back nothing');
  if (shape.needsReversible && manifest.constraints.reversible !== true) return no('constraints.reversible must be true for FILE_DELETE');
  for (const key of Object.keys(manifest.inputs)) {
    if (!shape.inputs.includes(key)) return no(`inputs has a field that ${manifest.capability_id} does not know: ${JSON.stringify(key)}`);
  }

  const source = input(manifest, 'source_path', bases, undoOf !== undefined && shape.operation === 'move');
  if (!source.ok) return source;
  if (!shape.inputs.includes('destination_path')) {
    return scoped(manifest, { operation: shape.operation, source: source.value, destination: undefined, undoOf });
  }
  const destination = input(manifest, 'destination_path', bases, false);
  if (!destination.ok) return destination;
  if (source.value.absolute === destination.value.absolute) return no('source_path and destination_path are the same file');
  return scoped(manifest, { operation: shape.operation, source: source.value, destination: destination.value, undoOf });
}

function input(manifest: TaskManifest, field: string, bases: readonly PathBase[], permitVault: boolean): Result<TaskPath, Outcome> {
  if (!Object.hasOwn(manifest.inputs, field)) return no(`inputs.${field} is required`);
  const answer = parsePath(manifest.inputs[field], bases, permitVault);
  return answer.ok ? ok(answer.path) : no(`inputs.${field} ${answer.message}`);
}

/**
 * `constraints.scope`: both paths must lie within it, component by component. A vault path is exempt: the undo of a
 * delete may take it only from exactly the recorded place.
 */
function scoped(manifest: TaskManifest, request: FileRequest): Result<FileRequest, Outcome> {
  const { scope } = manifest.constraints;
  if (scope === undefined) return ok(request);
  if (!scope.startsWith('/') || scope.includes('\0') || scope.split('/').includes('..')) {
    return no("constraints.scope must be an absolute directory path without '..'");
  }
  const prefix = componentsOf(scope);
  for (const [field, path] of Object.entries({ source_path: request.source, destination_path: request.destination })) {
    if (path && !path.inVault && !isWithin(componentsOf(path.absolute), prefix)) return no(`inputs.${field} lies outside constraints.scope`);
  }
  return ok(request);
}

function no(message: string): Result<never, Outcome> {
  return failed(failure('EXECUTION_FAILED', message));
}
