import type { ScanAnswer, ScanRequest } from '../../core/ports/index.ts';

/** What goes to a search process: one request at a time. */
export type ToChild = ScanRequest;

/** What comes back: `ready` once, when everything is loaded that searches need; then an answer for each request. */
export type FromChild = { readonly type: 'ready' } | { readonly type: 'answer'; readonly answer: ScanAnswer };
