export { type RunTuning, runSearch } from './run-search.ts';
