import { describe, expect, it } from 'vitest';
import type { ExecutionResult, TaskManifest } from '../../../src/contracts/index.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { sha256Hex } from '../../../src/core/hash.ts';
import { undoManifest } from '../../../src/core/undo-manifest.ts';

const move: TaskManifest = {
  task_id: 'm-1',
  capability_id: 'FILE_MOVE',
  inputs: { source_path: '/data//in/./a', destination_path: '/data/out/a' },
  constraints: { sensitivity: 'HIGH', scope: '/data' },
};
const remove: TaskManifest = { task_id: 'd-1', capability_id: 'FILE_DELETE', inputs: { source_path: '/data/a' }, constraints: { reversible: true } };
const copy: TaskManifest = { task_id: 'c-1', capability_id: 'FILE_COPY', inputs: { source_path: '/data/a', destination_path: '/data/b' }, constraints: {} };
const VAULT = '/data/.writ-vault/d-1.1';

const succeeded = (output: Record<string, unknown>): ExecutionResult => ({ status: 'SUCCESS', output, error: null, signature: 'x..y' });
const moved = (source: string, destination: string, original = source): ExecutionResult =>
  succeeded({ result_summary: { source, destination, bytes: 1 }, undo_metadata: { original_path: original } });
const removed = (original: string, recovery: string): ExecutionResult =>
  succeeded({ result_summary: { source: original, destination: recovery, bytes: 1 }, undo_metadata: { original_path: original, recovery_path: recovery } });

function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (isWritError(error)) return error.code;
    throw error;
  }
  return 'computed';
}

describe('the manifest of an undo', () => {
  it('moves a moved file back, by the paths that the executor used', { tags: ['FE-28'] }, () => {
    expect(undoManifest(move, moved('/data/in/a', '/data/out/a'), 0)).toEqual({
      task_id: `u-${sha256Hex('["m-1",0]')}`,
      capability_id: 'FILE_MOVE',
      inputs: { source_path: '/data/out/a', destination_path: '/data/in/a' },
      constraints: { sensitivity: 'HIGH' },
      provenance: { undo_of: 'm-1' },
    });
  });

  it('has another id after every redo, and a known one', () => {
    // printf '["m-1",0]' | sha256sum
    expect(undoManifest(move, moved('/data/in/a', '/data/out/a'), 0).task_id).toBe('u-24da75e6ac2d6b215b7b824f669870edc8468710e474c1ec1015d9a0d4af37ca');
    expect(undoManifest(move, moved('/data/in/a', '/data/out/a'), 1).task_id).toBe('u-e87558775836dec694f012a16c772c4e74143d6191e2b646c56269e90466b29f');
  });

  it('moves a deleted file out of the vault', { tags: ['FE-36'] }, () => {
    expect(undoManifest(remove, removed('/data/a', VAULT), 0)).toMatchObject({
      capability_id: 'FILE_MOVE',
      inputs: { source_path: VAULT, destination_path: '/data/a' },
      constraints: {},
      provenance: { undo_of: 'd-1' },
    });
  });

  it('deletes again what an undo had brought back from the vault', () => {
    const undone = undoManifest(remove, removed('/data/a', VAULT), 0);
    expect(undoManifest(undone, moved(VAULT, '/data/a'), 0)).toMatchObject({
      capability_id: 'FILE_DELETE',
      inputs: { source_path: '/data/a' },
      constraints: { reversible: true },
      provenance: { undo_of: undone.task_id },
    });
  });

  it('moves forth again what an undo had moved back', () => {
    const undone = undoManifest(move, moved('/data/in/a', '/data/out/a'), 0);
    expect(undoManifest(undone, moved('/data/out/a', '/data/in/a'), 0)).toMatchObject({
      capability_id: 'FILE_MOVE',
      inputs: { source_path: '/data/in/a', destination_path: '/data/out/a' },
    });
  });

  it.each<[string, TaskManifest, ExecutionResult, string]>([
    ['a copy', copy, succeeded({ result_summary: { source: '/data/a', destination: '/data/b' } }), 'WRONG_STATE'],
    ['another capability', { ...copy, capability_id: 'toString' }, succeeded({}), 'WRONG_STATE'],
    ['a failed move', move, { status: 'FAILURE', output: null, error: { error_code: 'EXECUTION_FAILED', message: 'x' }, signature: 'x..y' }, 'WRONG_STATE'],
    ['a move without undo metadata', move, succeeded({ result_summary: { source: '/data/in/a', destination: '/data/out/a' } }), 'INVALID_RESULT'],
    ['a result from another source', move, moved('/data/in/b', '/data/out/a'), 'INVALID_RESULT'],
    ['a result with another destination', move, moved('/data/in/a', '/etc/passwd'), 'INVALID_RESULT'],
    ['a result with another original', move, moved('/data/in/a', '/data/out/a', '/data/in/b'), 'INVALID_RESULT'],
    ['a climbing path', move, moved('/data/in/x/../a', '/data/out/a'), 'INVALID_RESULT'],
    ['a delete of another file', remove, removed('/data/b', VAULT), 'INVALID_RESULT'],
    ['a delete that went elsewhere than the vault', remove, removed('/data/a', '/data/secret'), 'INVALID_RESULT'],
    ['a delete that only looks like the vault', remove, removed('/data/a', '/data/x.writ-vault/d'), 'INVALID_RESULT'],
  ])('is refused for %s', (_what, manifest, result, code) => {
    expect(codeOf(() => undoManifest(manifest, result, 0))).toBe(code);
  });
});
