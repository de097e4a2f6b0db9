export * from './capability.ts';
export * from './error-code.ts';
export * from './execution-result.ts';
export * from './ids.ts';
export * from './lease.ts';
export * from './reserved.ts';
export * from './task-job.ts';
export * from './task-manifest.ts';
