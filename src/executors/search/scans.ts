/** The second door of the search executor, for the process that scans: the worker itself loads none of this. */
export { createDatasetsScan } from './datasets/index.ts';
export { createEmailsScan } from './emails/scan.ts';
export { createFilesScan } from './files/scan.ts';
export type { Scans } from './scan.ts';
export { scan } from './scan.ts';
export { ScanError } from './scan-error.ts';
