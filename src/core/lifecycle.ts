/**
 * Every background part starts and stops the same way: `start` resolves when it works, `stop` when nothing of it
 * runs any more. Both tolerate being called twice, and `stop` before `start`.
 */
export interface Lifecycle extends AsyncDisposable {
  start(): Promise<void>;
  stop(): Promise<void>;
}
