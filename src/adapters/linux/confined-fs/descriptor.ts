import { closeSync } from 'node:fs';
import { WritError } from '../../../core/errors.ts';
import { nodeCalls } from './node-calls.ts';

/**
 * An owned file descriptor. `close` waits for the calls that still use it: the kernel gives a closed number to the
 * next open, and a call on the pool's thread would then act on somebody else's file.
 */
export class Descriptor {
  readonly #fd: number;
  readonly #what: string;
  #users = 0;
  #closing: Promise<void> | undefined;
  #whenIdle: (() => void) | undefined;

  /** @param what for the message when it is used after closing */
  constructor(fd: number, what: string) {
    this.#fd = fd;
    this.#what = what;
  }

  /** The number, for a call that ends before the event loop turns. */
  get fd(): number {
    if (this.#closing !== undefined) throw new WritError('INTERNAL', `${this.#what} is used after it was closed`);
    return this.#fd;
  }

  /** Runs `action` with the number held open until its promise settles. */
  async use<T>(action: (fd: number) => Promise<T>): Promise<T> {
    const fd = this.fd;
    this.#users += 1;
    try {
      return await action(fd);
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#whenIdle?.();
    }
  }

  /** Closes on the pool: closing the last reference of an unlinked file frees its blocks. Tolerates a second call. */
  close(): Promise<void> {
    this.#closing ??= this.#idle().then(async () => {
      await nodeCalls.close(this.#fd);
    });
    return this.#closing;
  }

  /** Closes a directory on the calling thread, which costs less than a turn through the pool. */
  closeDirectory(): Promise<void> {
    this.#closing ??= this.#users === 0 ? Promise.resolve(closeSync(this.#fd)) : this.#idle().then(() => closeSync(this.#fd));
    return this.#closing;
  }

  #idle(): Promise<void> {
    if (this.#users === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
    });
  }
}
