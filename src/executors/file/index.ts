export { createFileExecutor, type FileExecutor } from './executor.ts';
export type { BaseState } from './held-bases.ts';
export type { BaseChange, BaseOption, FileExecutorOptions, FileLimits } from './options.ts';
export { CRASH_POINTS, type CrashPoint } from './options.ts';
export { previewFile } from './preview.ts';
export { purgeVault } from './purge-vault.ts';
export { createReloadableFileExecutor } from './reloadable.ts';
