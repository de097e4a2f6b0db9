import { CONTENT_CONTEXT_MAX, CONTENT_RESULTS_MAX, CONTENT_TIMEOUT_MAX_MS, type ContentSearchRequest } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { parseSeconds, parseWhole } from '../text/values.ts';

export interface SearchFlags {
  readonly ignoreCase?: boolean;
  readonly caseSensitive?: boolean;
  readonly smartCase?: boolean;
  readonly fixedStrings?: boolean;
  readonly wordRegexp?: boolean;
  readonly hidden?: boolean;
  readonly follow?: boolean;
  /** False for `--no-ignore`. */
  readonly ignore: boolean;
  readonly glob?: readonly string[];
  readonly context?: string;
  readonly maxResults?: string;
  readonly timeout: string;
  readonly fuzzy?: string;
  readonly backend?: 'ugrep' | 'rg';
  readonly stats?: boolean;
}

/** The request that a command line means. Throws WritError INVALID_ARGUMENT naming the option. */
export function requestOf(pattern: string, path: string | undefined, flags: SearchFlags): ContentSearchRequest {
  const { glob, context, fuzzy, maxResults } = flags;
  const letters = caseOf(flags);
  const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  if (timeoutMs < 1 || timeoutMs > CONTENT_TIMEOUT_MAX_MS) throw new WritError('INVALID_ARGUMENT', '--timeout must be from 1s to 10m', { field: '--timeout' });
  return {
    pattern,
    ...(path === undefined ? {} : { path }),
    ...(letters === undefined ? {} : { case: letters }),
    ...(flags.fixedStrings ? { fixed_strings: true } : {}),
    ...(flags.wordRegexp ? { word_regexp: true } : {}),
    ...(flags.hidden ? { hidden: true } : {}),
    ...(flags.follow ? { follow: true } : {}),
    ...(flags.ignore ? {} : { no_ignore: true }),
    ...(glob === undefined ? {} : { glob: [...glob] }),
    ...(context === undefined ? {} : { context: parseWhole(context, '--context', { min: 0, max: CONTENT_CONTEXT_MAX }) }),
    ...(fuzzy === undefined ? {} : { fuzzy: parseWhole(fuzzy, '--fuzzy', { min: 1, max: 4 }) }),
    max_results: maxResults === undefined ? CONTENT_RESULTS_MAX : parseWhole(maxResults, '--max-results', { min: 1, max: CONTENT_RESULTS_MAX }),
    timeout_ms: timeoutMs,
  };
}

function caseOf({ ignoreCase, caseSensitive, smartCase }: SearchFlags): ContentSearchRequest['case'] {
  const asked = [ignoreCase && 'insensitive', caseSensitive && 'sensitive', smartCase && 'smart'].filter((letters) => typeof letters === 'string');
  if (asked.length > 1)
    throw new WritError('INVALID_ARGUMENT', '--ignore-case, --case-sensitive and --smart-case exclude each other', { field: '--ignore-case' });
  return asked[0] as ContentSearchRequest['case'];
}
