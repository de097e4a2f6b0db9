/** A pool is one host and one data directory (design 2). */
export interface PoolOwnership {
  /**
   * Makes the data directory the owner of the pool, once and for all. Throws WritError POOL_OWNED when another data
   * directory owns it.
   *
   * @param dataDirId random id kept in the data directory
   */
  claimPool(pool: string, dataDirId: string): Promise<void>;
}
