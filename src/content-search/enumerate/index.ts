export { compileDenied, type DenyRules, isDenied } from './denied.ts';
export { enumerate } from './enumerate.ts';
export { type CompiledGlobs, compileGlobs, type Globs } from './globs.ts';
export { globFilter } from './globs-path.ts';
export { only } from './only.ts';
export type { EnumerateOptions } from './walk-context.ts';
