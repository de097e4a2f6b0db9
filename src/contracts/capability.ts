import { TOOL_CALL } from './tool-call.ts';

/**
 * Every capability that travels on a queue, and the queue that serves it.
 * The three file capabilities are a closed set (file-executor.md 2), and so are the three searches (search-executor.md 3).
 */
export const CAPABILITY_QUEUE = {
  FILE_MOVE: 'file',
  FILE_COPY: 'file',
  FILE_DELETE: 'file',
  SEARCH_FILES: 'search',
  SEARCH_EMAILS: 'search',
  SEARCH_DATASETS: 'search',
  CONTENT_SEARCH: 'search',
} satisfies Record<string, QueueKind>;

export type QueueKind = 'file' | 'search' | 'plan';
export type CapabilityId = keyof typeof CAPABILITY_QUEUE;

/** Every capability that a manifest may name; a tool is called by one for all (docs/tools.md). */
export const CAPABILITIES: readonly string[] = [...Object.keys(CAPABILITY_QUEUE), TOOL_CALL];

/** The `Search` tool as a task (local-search-index.md 2). */
export const CONTENT_SEARCH = 'CONTENT_SEARCH' satisfies CapabilityId;

export const FILE_CAPABILITIES: ReadonlySet<string> = new Set<CapabilityId>(['FILE_MOVE', 'FILE_COPY', 'FILE_DELETE']);
