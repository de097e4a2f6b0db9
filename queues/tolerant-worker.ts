import { Worker } from 'bullmq';

/**
 * A raw producer may put anything into a job's hash. BullMQ parses `data` before any handler sees it, and a parse error
 * there would hit the job that was being completed; such data becomes `null`, which is answered as malformed.
 */
export class TolerantWorker extends Worker {
  protected override createJob(...[data, jobId]: Parameters<Worker['createJob']>): ReturnType<Worker['createJob']> {
    try {
      return super.createJob(data, jobId);
    } catch {
      return super.createJob({ ...data, data: 'null' }, jobId);
    }
  }
}
