/** Something with a descriptor. */
interface Closable {
  close(): Promise<void>;
}

/** Collects what a run has opened, so that it is closed however the run ends. */
export interface Descriptors {
  add<T extends Closable>(opened: T): T;
}

/** Runs `body` and closes everything that it held, in the end also when it throws. */
export async function withDescriptors<T>(body: (descriptors: Descriptors) => Promise<T>): Promise<T> {
  const held: Closable[] = [];
  try {
    return await body({
      add(opened) {
        held.push(opened);
        return opened;
      },
    });
  } finally {
    await Promise.all(held.map((opened) => opened.close()));
  }
}
