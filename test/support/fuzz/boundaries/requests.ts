import { judgeRequest } from '../../../../src/content-search/search/request.ts';
import { ContentSearchRequest } from '../../../../src/contracts/index.ts';
import { parseTask } from '../../../../src/executors/search/inputs.ts';
import { type Boundary, FuzzFault, parsed, shown } from '../boundary.ts';

const DEFAULTS = { maxResults: 50, timeoutMs: 1000 };

/** Requests of content search, judged before any file is touched. */
export const contentRequest: Boundary = {
  shape: 'json',
  what: 'requests of content search: judged before a file is touched',
  async open() {
    return {
      seeds: [
        { pattern: 'a.b', path: 'x/y', case: 'smart', fixed_strings: false, word_regexp: true, hidden: true, context: 2, max_results: 10, timeout_ms: 500 },
        { pattern: '(a|b)+[^c]{2,3}\\w', glob: ['*.ts', '!**/x/*.{a,b}'], follow: true, no_ignore: true, fuzzy: 1 },
        { pattern: 'ß', case: 'ignore' },
      ].map((one) => JSON.stringify(one)),
      words: [...Object.keys(ContentSearchRequest.shape), '(', '[', '(?P<x>', '\\', '{1000000}', '(?i)', '\\p{L}', '**', '{a,b', '!', '../..'],
      run(input) {
        const judged = judgeRequest(parsed(input), DEFAULTS);
        if (judged.ok) return 'ok';
        shown(JSON.stringify(judged));
        return 'BadArgs';
      },
    };
  },
};

/** Manifests of the search executor. */
export const searchInputs: Boundary = {
  shape: 'json',
  what: 'manifests of SEARCH_FILES, SEARCH_EMAILS and SEARCH_DATASETS: judged before a source is opened',
  async open() {
    const scopes = new Map([
      ['tree', { kind: 'files', path: '/x' }],
      ['mail', { kind: 'emails', store: 'eml', path: '/x' }],
      ['rows', { kind: 'datasets', format: 'csv', path: '/x', primary_key: 'id' }],
    ]);
    const of = (capability_id: string, target_scope: string) => ({
      task_id: 't',
      capability_id,
      inputs: { query: 'needle', target_scope, max_results: 10 },
      constraints: {},
    });
    return {
      seeds: [of('SEARCH_FILES', 'tree'), of('SEARCH_EMAILS', 'mail'), of('SEARCH_DATASETS', 'rows')].map((one) => JSON.stringify(one)),
      words: ['query', 'target_scope', 'max_results', 'scope', 'reversible', 'tree', 'mail', 'rows'],
      run(input) {
        const manifest = parsed(input) as { inputs?: unknown; constraints?: unknown; capability_id?: unknown } | null | undefined;
        // What is no manifest is refused at the queue, before an executor sees it.
        if (!isRecord(manifest) || !isRecord(manifest.inputs) || !isRecord(manifest.constraints) || typeof manifest.capability_id !== 'string')
          return 'no manifest';
        const task = parseTask(manifest as never, scopes as never);
        if (task.ok) return 'ok';
        const { error } = task.error;
        if (error === null) throw new FuzzFault(`a refusal that is a success: ${JSON.stringify(task)}`);
        shown(error.message);
        return error.error_code;
      },
    };
  },
};

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
