import { describe, expect, it } from 'vitest';
import { errorsDocument } from '../../../../scripts/docs/errors-document.ts';
import { RESULT_ERROR_CODES } from '../../../../src/contracts/error-code.ts';
import { FAILURE_REASON_NAMES } from '../../../../src/contracts/failure-reason.ts';
import { ERRORS } from '../../../../src/core/errors.ts';
import { CODES } from '../../../../src/executors/plan/codes.ts';

describe('the page of error codes', () => {
  const [, requests = '', results = '', plans = '', reasons = ''] = errorsDocument().split('\n## ');
  const codesOf = (part: string) => [...part.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);

  it('has every code of the tables once', () => {
    expect(codesOf(requests)).toEqual(Object.keys(ERRORS));
    expect(codesOf(results)).toEqual([...RESULT_ERROR_CODES]);
    expect(codesOf(plans)).toEqual(Object.keys(CODES));
    expect(codesOf(reasons)).toEqual(FAILURE_REASON_NAMES);
  });

  it('tells status, exit code, executors and attempts as the product has them', () => {
    expect(requests).toContain('| `REDIS_FULL` | 429 | 3 |');
    expect(results).toContain('| `EXECUTION_FAILED` | file, search, tool | yes |');
    expect(results).toContain('| `TOOL_OUTCOME_UNKNOWN` | tool | no |');
    expect(reasons).toContain('| `disk_full` | host | `EXECUTION_FAILED`, `RESOURCE_EXHAUSTED` |');
    expect(plans).toContain('| `WHEN_ERROR` | `on_error` of the step |');
  });
});
