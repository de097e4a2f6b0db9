/** The door of the safety machine, the key, and the limits of indexes. */
export type { Action } from './actions.ts';
export { type CachePlatform, type CacheRootOptions, cacheRootCandidate, chooseStorage, type Storage, type StorageFallback } from './cache-root.ts';
export { type ExclusionFacts, type ExclusionVeto, exclusionVeto } from './exclusion.ts';
export { keyHash, mismatches, sameTree, type Wanted } from './key.ts';
export { estimateBytes, type HeldIndex, type IndexLimits, mayBuildAgain, roomFor, trim } from './limits.ts';
export { NO_INDEX, type Transition, transition } from './transition.ts';
export type { Trigger, TriggerKind } from './triggers.ts';
export { DISABLED_REASONS, UNCERTAIN_REASONS } from './words.ts';
export { type Advance, advance, advanceRecord } from './writer.ts';
