import path from 'node:path';
import type { Inodes } from './inodes.ts';

/**
 * Where an installation of an earlier program lies. Manifests and results name absolute paths and are signed, so it must lie
 * at the same place when it is opened again: in a mount namespace of its own, whatever else the host has there.
 */
export const PLACE = '/mnt';
export const DATA = path.join(PLACE, 'data');
export const BASE = path.join(PLACE, 'base');
export const TREE = path.join(PLACE, 'tree');
export const MADE = path.join(PLACE, 'made.json');

/** What is kept of it; sockets and logs are not. */
export const KEPT = ['data', 'base', 'tree', 'made.json'] as const;

const TEN_YEARS_S = 315_360_000;
const TWENTY_YEARS_S = 630_720_000;

/** Leases, answers and undos that outlive the fixture; two tasks at a time, so that some are still to come when it is killed. */
export const SETTINGS = `[worker]
file_concurrency = 2
[lease]
max_ttl_s = ${TEN_YEARS_S}
default_ttl_s = ${TEN_YEARS_S}
[ledger]
retention_s = ${TWENTY_YEARS_S}
[journal]
retention_s = ${TWENTY_YEARS_S}
[http]
port = 0
[file.base_directories]
main = "${BASE}"
[search.scopes.tree]
kind = "files"
path = "${TREE}"
[tools.sandbox]
allowed_roots = ["${TREE}"]
[tools.search]
enabled = true
index_mode = "on"
index_path = "${path.join(DATA, 'content-index')}"
index_roots = ["${TREE}"]
`;

/** Tasks that have ended before the kill: what each asks for, and how it must have ended. */
export const ENDED = {
  moved: { capability: 'FILE_MOVE', inputs: fromTo('moved'), state: 'success' },
  'moved-to-undo': { capability: 'FILE_MOVE', inputs: fromTo('moved-to-undo'), state: 'success' },
  'moved-and-undone': { capability: 'FILE_MOVE', inputs: fromTo('moved-and-undone'), state: 'success' },
  copied: { capability: 'FILE_COPY', inputs: fromTo('copied'), state: 'success' },
  deleted: { capability: 'FILE_DELETE', inputs: { source_path: inBase('deleted') }, state: 'success' },
  failed: { capability: 'FILE_MOVE', inputs: { source_path: inBase('nobody'), destination_path: inBase('nowhere') }, state: 'failure' },
  found: { capability: 'SEARCH_FILES', inputs: { query: 'found', target_scope: 'tree', max_results: 10 }, state: 'success' },
  'found-in-contents': { capability: 'CONTENT_SEARCH', inputs: { pattern: 'needle' }, state: 'success' },
  cancelled: { capability: 'FILE_MOVE', inputs: fromTo('cancelled'), state: 'failure' },
} as const satisfies Readonly<Record<string, { capability: string; inputs: object; state: 'success' | 'failure' }>>;
export type EndedTask = keyof typeof ENDED;

/** Moves of which some were done, and some were not, when everything was killed. */
export const UNDER_WAY = 60;
export const underWayId = (at: number): string => `under-way-${at}`;
export const PLAN_STEPS = 12;

/** What the earlier program left. */
export interface Made {
  readonly commit: string;
  readonly made_at: string;
  readonly tasks: Readonly<Record<string, { readonly state: string; readonly result: string }>>;
  readonly plans: { readonly ended: string; readonly under_way: string };
  /** Moves that stood done in the file system at the kill. */
  readonly moved_at_kill: number;
  /** Files of the base directory, as the journal knows them. */
  readonly inodes: Inodes;
  /** Schemas of its databases, by their place in the data directory. */
  readonly schemas: Readonly<Record<string, number>>;
}

export function manifestOf(id: string, capability: string, inputs: object) {
  return { task_id: id, capability_id: capability, inputs, constraints: capability === 'FILE_DELETE' ? { reversible: true } : {} };
}

export function fromTo(name: string): { readonly source_path: string; readonly destination_path: string } {
  return { source_path: inBase(name), destination_path: inBase(`${name}-2`) };
}

export function inBase(name: string): string {
  return path.join(BASE, name);
}

/** Copies, one after the other. */
export function planOf(name: string) {
  return {
    header: { id: name, version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'upgrade', destination: 'executor', type: 'execution' },
    payload: {
      steps: Array.from({ length: PLAN_STEPS }, (_, at) => ({
        ...{ type: 'tool', ref: 'writ.file', operation: 'FILE_MOVE' },
        params: fromTo(`${name}-${at}`),
      })),
      memory: { session_id: name, state: {} },
      options: { maxSteps: 100 },
    },
  };
}
