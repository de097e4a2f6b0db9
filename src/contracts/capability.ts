/**
 * Every capability that travels on a queue, and the queue that serves it.
 * The three file capabilities are a closed set (file-executor.md 2).
 */
export const CAPABILITY_QUEUE = {
  FILE_MOVE: 'file',
  FILE_COPY: 'file',
  FILE_DELETE: 'file',
} satisfies Record<string, QueueKind>;

export type QueueKind = 'file' | 'search' | 'plan';
export type CapabilityId = keyof typeof CAPABILITY_QUEUE;

export const FILE_CAPABILITIES: ReadonlySet<string> = new Set<CapabilityId>(['FILE_MOVE', 'FILE_COPY', 'FILE_DELETE']);
