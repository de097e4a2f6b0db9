/** A task's job id: never the bare task_id, which could be the name of one of BullMQ's own keys (`wait`, `meta`). */
export function jobIdOf(taskId: string): string {
  return `t_${taskId}`;
}
