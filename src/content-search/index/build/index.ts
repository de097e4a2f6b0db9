export { createPace, type Pace, type PaceSettings } from './pace.ts';
export { runJob } from './run-job.ts';
export { type BuildSite, createTables, type JobLimits, type JobRun } from './site.ts';
