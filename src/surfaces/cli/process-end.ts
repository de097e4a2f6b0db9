/** A role works on when nobody listens any more. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => undefined);
}

/** The first Ctrl-C asks a command to end in order, the second ends the process. */
export function createInterrupt(): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (controller) return controller.signal;
    const asked = new AbortController();
    controller = asked;
    const onSignal = (): void => {
      if (asked.signal.aborted) process.exit(1);
      asked.abort();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    return asked.signal;
  };
}
