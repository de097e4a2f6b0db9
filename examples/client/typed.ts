// What the types know: inputs and outputs of each capability. Checked by tsc in the tests of the client.
import { readFileSync } from 'node:fs';
import { type ManifestOf, WritApiError, WritClient, WritConnectionError } from 'writ/client';

const client = new WritClient({ baseUrl: 'http://127.0.0.1:8377', key: () => readFileSync('key', 'utf8').trim() });

/** Deletes a file; answers where it can be found again. */
export async function remove(path: string, taskId: string, lease: string): Promise<string> {
  const manifest: ManifestOf<'FILE_DELETE'> = {
    task_id: taskId,
    capability_id: 'FILE_DELETE',
    inputs: { source_path: path },
    constraints: { reversible: true },
  };
  try {
    const pushed = await client.tasks.submit(manifest, { lease, wait: 10, attempts: 3 });
    const task = pushed.ended ? pushed.task : await client.tasks.result<'FILE_DELETE'>(taskId, { timeoutMs: 60_000 });
    if (task.result?.status !== 'SUCCESS') throw new Error(task.result?.error.message ?? task.message ?? 'failed');
    return task.result.output.undo_metadata.recovery_path;
  } catch (error) {
    if (error instanceof WritApiError) throw new Error(`refused: ${error.code} ${error.field ?? ''}`, { cause: error });
    if (error instanceof WritConnectionError) throw new Error('not reached; the same call may be made again', { cause: error });
    throw error;
  }
}
