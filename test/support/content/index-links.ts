import type { IndexSettings } from '../../../src/content-search/io/settings.ts';
import { openCandidateIndex } from '../../../src/content-search/io/tool.ts';
import type { OpenCandidateIndex } from '../../../src/content-search/ngram-index/query/candidate-index.ts';
import type { SearchedTrees } from '../../../src/content-search/ngram-index/serving/configured-indexes.ts';
import type { SearchBackend } from '../../../src/core/ports/index.ts';
import { PATIENCE_MS } from '../patience.ts';

/** A quarter of the time of a request may go into files that have changed: with this, the whole of it. */
const BUDGET = { fraction: 1, maxMs: PATIENCE_MS, maxFiles: 50_000 };

/**
 * The indexes for searches that wait for a busy host as long as it takes, instead of 20 ms: where one is there, it is used.
 * Where none is there, a search knows at once, as ever.
 */
export function patientLinks(settings: IndexSettings, trees: SearchedTrees, backend: SearchBackend): Promise<OpenCandidateIndex | undefined> {
  return openCandidateIndex(settings, trees, backend, BUDGET, PATIENCE_MS);
}
