/** What the threads of an index need, and nothing that loads a schema: a thread starts for two thirds of the processor time. */
export { type BuildSite, createPace, createTables, type JobLimits, type JobRun, type PaceSettings, runJob } from './index/build/index.ts';
export { type Hasher, loadHasher } from './index/hash.ts';
export { type IndexedTree, policyOf } from './index/indexed-tree.ts';
export { createTreeWatch, type TreeWatch } from './index/watch/tree-watch.ts';
