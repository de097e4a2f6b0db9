import type { StopReason } from '../src/core/outcome.ts';

/** One running delivery of this process. */
export interface Running {
  readonly controller: AbortController;
  readonly jobId: string;
  taskId: string | undefined;
}

/** The deliveries that this process works on, so that a cancel, a lost lock and a shutdown reach them. */
export interface InFlight {
  begin(jobId: string): Running;
  /** False when this process already works on the task: the second delivery is busy. */
  claimTask(running: Running, taskId: string): boolean;
  end(running: Running): void;
  stop(filter: { taskId?: string; jobIds?: readonly string[] }, reason: StopReason): void;
  readonly size: number;
  /** How often a delivery has begun or ended: it grows while the worker hears its queue. */
  readonly progressCount: number;
}

export function createInFlight(): InFlight {
  const all = new Set<Running>();
  const byTask = new Map<string, Running>();
  let progressCount = 0;
  return {
    begin(jobId) {
      const running: Running = { controller: new AbortController(), jobId, taskId: undefined };
      all.add(running);
      progressCount += 1;
      return running;
    },
    claimTask(running, taskId) {
      if (byTask.has(taskId)) return false;
      running.taskId = taskId;
      byTask.set(taskId, running);
      return true;
    },
    end(running) {
      all.delete(running);
      progressCount += 1;
      if (running.taskId !== undefined && byTask.get(running.taskId) === running) byTask.delete(running.taskId);
    },
    stop({ taskId, jobIds }, reason) {
      if (taskId !== undefined) byTask.get(taskId)?.controller.abort(reason);
      else for (const running of all) if (jobIds === undefined || jobIds.includes(running.jobId)) running.controller.abort(reason);
    },
    get size() {
      return all.size;
    },
    get progressCount() {
      return progressCount;
    },
  };
}
