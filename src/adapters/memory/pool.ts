import { WritError } from '../../core/errors.ts';
import type { PoolOwnership } from '../../core/ports/index.ts';

/** The twin of the pool owner keys. */
export function createMemoryPoolOwnership(): PoolOwnership {
  const owners = new Map<string, string>();
  return {
    async claimPool(pool, dataDirId) {
      const owner = owners.get(pool) ?? dataDirId;
      owners.set(pool, owner);
      if (owner !== dataDirId) throw new WritError('POOL_OWNED', `pool '${pool}' belongs to data directory ${owner}`);
    },
  };
}
