import type { StopReason } from '../src/core/outcome.ts';

/** One running delivery of this process. */
export interface Running {
  readonly controller: AbortController;
  readonly jobId: string;
  taskId: string | undefined;
  /** Its queue has handed it over; else it runs without a job. */
  readonly heard: boolean;
}

/** The deliveries that this process works on, so that a cancel, a lost lock and a shutdown reach them. */
export interface InFlight {
  begin(jobId: string, from?: 'queue' | 'plan'): Running;
  /** From now on a cancel of the task reaches this delivery, also before it may work on it. */
  attend(running: Running, taskId: string): void;
  /** False when another delivery of this process works on the task. */
  claimTask(running: Running, taskId: string): boolean;
  /** Whether no other delivery of this process has to do with the task, so that none of them can hold a claim. */
  isAlone(running: Running, taskId: string): boolean;
  /** Whether a delivery of this process works on the task. */
  isClaimed(taskId: string): boolean;
  /** Resolves when the delivery of this process that works on the task has ended; at once when there is none. */
  freed(taskId: string): Promise<void>;
  end(running: Running): void;
  stop(filter: { taskId?: string; jobIds?: readonly string[] }, reason: StopReason): void;
  readonly size: number;
  /** How often a delivery of the queue's has begun or ended: it grows while the worker hears its queue. */
  readonly progressCount: number;
}

export function createInFlight(): InFlight {
  const all = new Set<Running>();
  /** Those that a cancel of the task reaches, and the one of them that works on it. */
  const byTask = new Map<string, { readonly attending: Set<Running>; readonly freed: (() => void)[]; working: Running | undefined }>();
  let progressCount = 0;

  function attend(running: Running, taskId: string): void {
    running.taskId = taskId;
    const task = byTask.get(taskId) ?? { attending: new Set(), freed: [], working: undefined };
    task.attending.add(running);
    byTask.set(taskId, task);
  }

  return {
    begin(jobId, from = 'queue') {
      const running: Running = { controller: new AbortController(), jobId, taskId: undefined, heard: from === 'queue' };
      all.add(running);
      if (running.heard) progressCount += 1;
      return running;
    },
    attend,
    claimTask(running, taskId) {
      if (byTask.get(taskId)?.working !== undefined) return false;
      attend(running, taskId);
      const task = byTask.get(taskId);
      if (task !== undefined) task.working = running;
      return true;
    },
    isAlone: (running, taskId) => [...(byTask.get(taskId)?.attending ?? [])].every((one) => one === running),
    isClaimed: (taskId) => byTask.get(taskId)?.working !== undefined,
    freed: (taskId) =>
      new Promise((resolve) => {
        const task = byTask.get(taskId);
        if (task?.working === undefined) resolve();
        else task.freed.push(resolve);
      }),
    end(running) {
      all.delete(running);
      if (running.heard) progressCount += 1;
      const task = running.taskId === undefined ? undefined : byTask.get(running.taskId);
      if (task === undefined || running.taskId === undefined) return;
      task.attending.delete(running);
      if (task.working === running) {
        task.working = undefined;
        for (const free of task.freed.splice(0)) free();
      }
      if (task.attending.size === 0) byTask.delete(running.taskId);
    },
    stop({ taskId, jobIds }, reason) {
      const reached = taskId === undefined ? all : (byTask.get(taskId)?.attending ?? []);
      for (const running of reached) if (jobIds === undefined || jobIds.includes(running.jobId)) running.controller.abort(reason);
    },
    get size() {
      return all.size;
    },
    get progressCount() {
      return progressCount;
    },
  };
}
