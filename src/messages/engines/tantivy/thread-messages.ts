/** What the thread is started with. */
export interface IndexThreadData {
  /** The database of messages. */
  readonly file: string;
  /** The directory of the index. */
  readonly root: string;
}
