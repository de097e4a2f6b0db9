import type { TaskManifest } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import type { FileIntent } from '../../core/ports/index.ts';
import type { OpenBases } from './bases.ts';
import { pathText } from './places.ts';

/**
 * The output of a SUCCESS (file-executor.md 9.1), from the intent alone, so that recovery answers with the same bytes as
 * the run that was lost. Paths are absolute and normalized, `bytes` is the size of the source.
 *
 * @param sha256 of the content, where it was read anyway (copies)
 */
export function outputOf(manifest: TaskManifest, intent: FileIntent, bases: OpenBases, sha256: string | undefined): JsonObject {
  const source = pathText(bases, intent.source);
  const destination = pathText(bases, intent.destination);
  const bytes = Number(intent.sourceIdentity.size);
  const head = { task_id: manifest.task_id, capability_id: manifest.capability_id };
  const hashed = sha256 === undefined ? {} : { sha256 };
  switch (intent.operation) {
    case 'move':
      return { ...head, result_summary: { source, destination, bytes, ...hashed }, undo_metadata: { original_path: source } };
    case 'copy':
      return { ...head, result_summary: { source, destination, bytes, ...hashed } };
    case 'delete':
      return { ...head, result_summary: { source, bytes }, undo_metadata: { original_path: source, recovery_path: destination } };
  }
}
