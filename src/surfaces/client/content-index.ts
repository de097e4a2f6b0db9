import type { IndexReceipt, IndexReport } from './index-types.ts';
import type { CallOptions } from './tasks.ts';
import type { Transport } from './transport.ts';

/** The content-search indexes of the server (docs/search-index.md). */
export interface ContentIndexApi {
  /** The state of each index, and its current task; needs the role `read` or `operate`. */
  status(options?: CallOptions): Promise<IndexReport>;
  /** Builds the index again. `keyHash`, here and below: `key_hash` of its status, or at least the first 8 digits. Needs the role `operate`. */
  build(keyHash: string, options?: CallOptions): Promise<IndexReceipt>;
  /** Compares the index with the tree, and indexes the differences. */
  reconcile(keyHash: string, options?: CallOptions): Promise<IndexReceipt>;
  /** Checks the files of the index; the verdict appears in `ended` of the status. */
  check(keyHash: string, options?: CallOptions): Promise<IndexReceipt>;
  /** Removes the index. */
  drop(keyHash: string, options?: CallOptions): Promise<IndexReceipt>;
}

/** The index methods. Each may be called twice: a job that waits already is not queued again. */
export function createContentIndex(transport: Transport): ContentIndexApi {
  const ask =
    (action: string) =>
    async (keyHash: string, { signal }: CallOptions = {}): Promise<IndexReceipt> =>
      (await transport.json<IndexReceipt>({ method: 'POST', path: `/v1/index/${encodeURIComponent(keyHash)}/${action}`, signal, repeatable: true })).body;
  return {
    status: async ({ signal } = {}) => (await transport.json<IndexReport>({ method: 'GET', path: '/v1/index', signal, repeatable: true })).body,
    build: ask('build'),
    reconcile: ask('reconcile'),
    check: ask('check'),
    drop: ask('drop'),
  };
}
