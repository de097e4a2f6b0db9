/** As BullMQ is to keep it: a failed job has its sentence, and no stack trace of ours. */
export function withoutStack(error: Error): Error {
  error.stack = error.message;
  return error;
}

/** Failures that a job's hash keeps a line of, and the UTF-16 units that they may have together: `MAX_FIELD_CHARS` are those of no job. */
const MAX_TRACES = 128;
const MAX_TRACE_CHARS = 16 * 1024;

/**
 * What a job keeps of its failures when it fails once more. BullMQ adds a line for each, and for ever: a job that was retried some
 * hundred times would be refused for its size (`job-bounds.ts`). So many go at a time that their count names another wish for long (`wish.ts`).
 */
export function boundTraces(traces: readonly string[]): string[] {
  if (traces.length < MAX_TRACES && JSON.stringify(traces).length <= MAX_TRACE_CHARS) return [...traces];
  return traces.slice(-MAX_TRACES / 4).map((trace) => trace.slice(0, MAX_TRACE_CHARS / MAX_TRACES));
}
