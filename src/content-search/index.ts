export { DIALECTS } from './backends/index.ts';
export { compileDenied, type DenyRules } from './enumerate/index.ts';
export type { FuzzyFallback } from './fallback.ts';
export { DEFAULT_DENIED_PATTERNS, type Sandbox } from './sandbox.ts';
export type { PathPlatform } from './sandbox-path.ts';
export { type ContentSearchDeps, createContentSearch } from './search.ts';
export { STATS_CLASSES } from './stats.ts';
export { ADVERTISED_NAMES, toolNamed } from './tool.ts';
