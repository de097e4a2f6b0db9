/** As BullMQ is to keep it: a failed job has its sentence, and no stack trace of ours. */
export function withoutStack(error: Error): Error {
  error.stack = error.message;
  return error;
}
