export { compareEngines } from './compare-engines.ts';
export { createHashEmbedder } from './embed/hash.ts';
export { failingEngine } from './failing-engine.ts';
export { type RerankParts, rerankedSet } from './hybrid/rerank-set.ts';
export { fusedSet, type HybridSides } from './hybrid/scores.ts';
export type { KillSwitch, Missing } from './modes.ts';
export { createMessageSearchService, type MessageSearchService } from './service.ts';
export { unanswered } from './unanswered.ts';
