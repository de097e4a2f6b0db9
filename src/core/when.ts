/** When a push may run: how far ahead, and BullMQ's priorities (0: none, before all others; then 1 before 2). */
export const WHEN = { aheadMs: 366 * 24 * 3600 * 1000, priority: 2_097_152 } as const;
