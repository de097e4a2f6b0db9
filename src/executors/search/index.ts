export { createSearchExecutor, type SearchExecutorOptions } from './executor.ts';
