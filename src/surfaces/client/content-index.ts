import type { IndexReceipt, IndexReport } from './index-types.ts';
import type { CallOptions } from './tasks.ts';
import type { Transport } from './transport.ts';

/** The content-search indexes of the server (docs/search-index.md). */
export interface ContentIndexApi {
  /** What each index is, and what is done about it now; needs the role `read` or `operate`. */
  status(options?: CallOptions): Promise<IndexReport>;
  /** Makes the index anew. `keyHash`, here and below: `key_hash` of its status, or at least the first 8 digits. Needs the role `operate`. */
  build(keyHash: string, options?: CallOptions): Promise<IndexReceipt>;
  /** Compares it with the tree, and indexes what differs. */
  reconcile(keyHash: string, options?: CallOptions): Promise<IndexReceipt>;
  /** Proves its files sound; the verdict appears in `ended` of the status. */
  check(keyHash: string, options?: CallOptions): Promise<IndexReceipt>;
  /** Removes it. */
  drop(keyHash: string, options?: CallOptions): Promise<IndexReceipt>;
}

/** All of it may be asked for twice: what waits already is not queued again. */
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
