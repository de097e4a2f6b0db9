import { describe, expect, it } from 'vitest';
import { scopeLabel } from '../../../../src/messages/visibility/scope.ts';

describe('scope', () => {
  it('has a label for explain', { tags: ['MS-090'] }, () => {
    expect(scopeLabel('unrestricted')).toBe('unrestricted');
    expect(scopeLabel({ caller_scoped: { caller_agent: 'Ada' } })).toBe('caller_scoped:Ada');
    expect(scopeLabel({ project_set: { allowed_project_ids: [4, 5] } })).toBe('project_set:2');
  });
});
