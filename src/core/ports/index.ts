export type * from './executor.ts';
export type * from './journal.ts';
export type * from './ledger.ts';
export type * from './signing.ts';
export type * from './confined-fs.ts';
export type * from './instances.ts';
