import type { ReasonCode, ScopePolicy, SearchAuditEntry, SearchResult } from '../../contracts/index.ts';
import type { EngineRow, EngineScope, EngineViewer } from '../../core/ports/message-engine.ts';
import type { SearchViewer } from '../../core/ports/message-search.ts';
import type { NormalQuery, Redaction } from '../search/query.ts';

/**
 * Who may see what: the viewer, and what the query asks for beside that. Both must allow a row. What a viewer may see is never
 * part of the query: only for an operator are rows beyond the scope kept for redaction, or counted.
 */
export function scopeOf(query: NormalQuery, viewer: SearchViewer): EngineScope {
  const { scope } = query;
  const viewers = ownViewers(viewer);
  if (scope !== 'unrestricted' && 'caller_scoped' in scope) viewers.push({ agent_name: scope.caller_scoped.caller_agent });
  return {
    projects: scope !== 'unrestricted' && 'project_set' in scope ? [...new Set(scope.project_set.allowed_project_ids)] : null,
    viewers,
    keep_denied: viewer === null && query.redaction !== null && viewers.length > 0,
    ...(viewer !== null && { hide_denied: true as const }),
    ...(viewer !== null && 'grant' in viewer && viewer.grant.projects !== null && { granted: viewer.grant.projects }),
  };
}

function ownViewers(viewer: SearchViewer): EngineViewer[] {
  if (viewer === null) return [];
  if (!('grant' in viewer)) return [viewer];
  const { agent, projects } = viewer.grant;
  return agent === null ? [] : [{ agent_name: agent, bound_to: projects }];
}

/** Label of a policy in explain and audit. */
export function scopeLabel(policy: ScopePolicy): string {
  if (policy === 'unrestricted') return policy;
  return 'caller_scoped' in policy ? `caller_scoped:${policy.caller_scoped.caller_agent}` : `project_set:${policy.project_set.allowed_project_ids.length}`;
}

/** A row that may be seen only in part: no score, no codes of its own, and what the configuration withholds replaced. */
export function redacted(result: SearchResult, { body, names, threads, placeholder }: Redaction): SearchResult {
  const { score: _score, raw_score: _raw, score_factors: _factors, thread_id, to, cc, bcc, ...rest } = result;
  return {
    ...rest,
    ...(!names && to !== undefined && { to }),
    ...(!names && cc !== undefined && { cc }),
    ...(!names && bcc !== undefined && { bcc }),
    ...(body && { title: placeholder, body: placeholder }),
    ...(names && rest.from_agent !== undefined && { from_agent: placeholder }),
    ...(!threads && thread_id !== undefined && { thread_id }),
    reason_codes: ['scope_redacted'] satisfies ReasonCode[],
    redacted: true,
    redaction_reason: placeholder,
  };
}

export function auditEntry(action: SearchAuditEntry['action'], query: NormalQuery, row: EngineRow): SearchAuditEntry {
  return {
    action,
    doc_kind: query.doc_kind,
    doc_id: row.id,
    ...(row.project_id !== null && { project_id: row.project_id }),
    reason: row.reason,
    policy: scopeLabel(query.scope),
  };
}
